import { useMemo, useState } from 'preact/hooks';
import { counted } from '../../../diagnostic/counted.js';
import type { FileEdit } from '../../../machine/progress.js';
import { type EditLine, shownEdit } from '../../../view/conversation/file-edits.js';
import { CopyButton } from '../../ui/copy-button.jsx';

const linesShown = 40;

/** Edit of a file: removed and added lines, with some around them. */
export function EditDiff({ edit }: { readonly edit: FileEdit }) {
  const [isOpen, setOpen] = useState(false);
  const { path, added, removed, lines, more } = useMemo(() => shownEdit(edit), [edit]);
  const shown = isOpen ? lines : lines.slice(0, linesShown);
  const rest = lines.length - linesShown;
  return (
    <figure class="diff">
      <figcaption class="row">
        <code class="diff-path">{path}</code>
        <span class="number small">
          <ins>+{added}</ins> <del>−{removed}</del>
        </span>
        {edit.before === null && <span class="muted small">new</span>}
        <CopyButton text={edit.after} what={`the new text of ${path}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
      <pre class="diff-lines" tabIndex={0}>
        {shown.map((line, index) => (
          <Line key={index} line={line} />
        ))}
      </pre>
      {rest > 0 && (
        <button type="button" class="link small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show all of the edit: ${counted(rest, 'more line')}`}
        </button>
      )}
      {more > 0 && (isOpen || rest <= 0) && (
        <p class="muted small">
          … and {counted(more, 'more line')}; <code>conversation.jsonl</code> has them.
        </p>
      )}
    </figure>
  );
}

function Line({ line: { sign, text } }: { readonly line: EditLine }) {
  if (sign === 'gap') return <span class="diff-line muted">⋯{'\n'}</span>;
  return (
    <span class="diff-line" data-sign={sign}>
      {sign}
      {text}
      {'\n'}
    </span>
  );
}
