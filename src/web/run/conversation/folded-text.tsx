import { useState } from 'preact/hooks';
import { stripStyles } from '../../../diagnostic/terminal-text.js';
import { CopyButton } from '../../ui/copy-button.jsx';
import { AnsiText } from '../inspector/ansi-text.jsx';
import { foldText } from './fold-text.js';

interface FoldedTextProps {
  readonly text: string;
  /** Name of the text: `the result`. */
  readonly what: string;
  /** Lines that are shown of a long one. */
  readonly lines: number;
}

/** Text as it is, in its colours; of a long one the beginning, with a button that shows all. */
export function FoldedText({ text, what, lines }: FoldedTextProps) {
  const [isOpen, setOpen] = useState(false);
  const { head, more } = foldText(text, lines);
  const isLong = more !== '';
  return (
    <div class="folded">
      <div class="file-text">
        {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
        <pre class="text" tabIndex={isOpen ? 0 : undefined}>
          <AnsiText text={isLong && !isOpen ? head : text} />
        </pre>
        {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
        <CopyButton text={stripStyles(text)} what={what} />
      </div>
      {isLong && (
        <button type="button" class="link small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show all of ${what}: ${more}`}
        </button>
      )}
    </div>
  );
}
