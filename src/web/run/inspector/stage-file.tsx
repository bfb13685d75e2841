import { useState } from 'preact/hooks';
import { part } from '../../api/request.js';
import { CopyButton } from '../../ui/copy-button.jsx';
import { formatBytes } from '../../ui/format-values.js';
import { Loading } from '../../ui/loading.jsx';
import { ProblemNotice } from '../../ui/problem-notice.jsx';
import { useResource } from '../../ui/use-resource.js';

interface StageFileProps {
  /** Of the stage, at the server. */
  readonly base: string;
  readonly visit: number;
  readonly file: { readonly path: string; readonly bytes: number };
  readonly title?: string;
  readonly isOpen?: boolean;
}

/** More than that is not shown here, but opened by itself. */
const largest = 400_000;

/** A file that a stage has left, as text, loaded when it is opened. */
export function StageFile({
  base,
  visit,
  file: { path, bytes },
  title = path,
  isOpen = false,
}: StageFileProps) {
  const [isShown, setShown] = useState(isOpen);
  const address = `${base}/files/${path.split('/').map(part).join('/')}?visit=${visit}`;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>
        {title} <span class="muted small number">{formatBytes(bytes)}</span>
      </summary>
      {isShown && bytes <= largest && <FileText address={address} title={title} />}
      {isShown && (
        <p class="small">
          <a href={address} target="_blank" rel="noreferrer">
            Open {path}
          </a>
          {bytes > largest && <span class="muted"> (too large to be shown here)</span>}
        </p>
      )}
    </details>
  );
}

function FileText({ address, title }: { readonly address: string; readonly title: string }) {
  const { data, failure, reload } = useResource<string>(address, { as: 'text' });
  if (failure !== undefined) return <ProblemNotice failure={failure} onRetry={reload} />;
  if (data === undefined) return <Loading what={title} />;
  if (data === '') return <p class="muted small">It is empty.</p>;
  return (
    <div class="file-text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
      <pre class="text" tabIndex={0}>
        {data}
      </pre>
      <CopyButton text={data} what={title} />
    </div>
  );
}
