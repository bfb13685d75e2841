import { useState } from 'preact/hooks';
import type { JsonValue } from '../../../graph/json.js';
import { CopyButton } from '../../ui/copy-button.jsx';
import { AnsiText } from '../inspector/ansi-text.jsx';
import { JsonTree } from './json-tree.jsx';

/** A value that is here as a whole: a text as it is, everything else as a tree; it can be copied. */
export function WholeValue({ name, value }: { readonly name: string; readonly value: JsonValue }) {
  const text = typeof value === 'string' ? value : undefined;
  return (
    <div class="file-text">
      {text === undefined ? <JsonTree value={value} /> : <LongText text={text} />}
      <CopyButton text={text ?? JSON.stringify(value, null, 2)} what={name} />
    </div>
  );
}

const textShown = 2000;

/** A text that may be very long: the beginning, and all of it when asked for. */
function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
      <pre class="text" tabIndex={0}>
        <AnsiText text={isWhole ? text : text.slice(0, textShown)} />
      </pre>
      {text.length > textShown && !isWhole && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </>
  );
}
