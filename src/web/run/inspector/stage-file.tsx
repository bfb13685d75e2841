import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { stripStyles } from '../../../diagnostic/terminal-text.js';
import { formatBytes } from '../../../view/format-values.js';
import { part } from '../../api/request.js';
import { CopyButton } from '../../ui/copy-button.jsx';
import { Loading } from '../../ui/loading.jsx';
import { ProblemNotice } from '../../ui/problem-notice.jsx';
import { useResource } from '../../ui/use-resource.js';
import { AnsiText } from './ansi-text.jsx';

interface StageFileProps {
  /** Path of the stage at the server. */
  readonly base: string;
  readonly visit: number;
  readonly file: { readonly path: string; readonly bytes: number };
  readonly title?: string;
  readonly isOpen?: boolean;
  /** More is being written: its end is shown as it grows. */
  readonly isLive?: boolean;
}

/** More than that is not shown here: then its end is, and the file is opened by itself. */
const largest = 400_000;
const tailBytes = 64_000;
const pollMs = 1500;

/** A file that a stage has left, as text, loaded when it is opened. */
export function StageFile({
  base,
  visit,
  file: { path, bytes },
  title = path,
  isOpen = false,
  isLive = false,
}: StageFileProps) {
  const [isShown, setShown] = useState(isOpen);
  const address = `${base}/files/${path.split('/').map(part).join('/')}?visit=${visit}`;
  const isTail = isLive || bytes > largest;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>
        {title} <span class="muted small number">{isLive ? 'is being written' : formatBytes(bytes)}</span>
      </summary>
      {isShown && bytes > largest && <p class="muted small">The last {formatBytes(tailBytes)} of it:</p>}
      {isShown && (
        <FileText
          address={isTail ? `${address}&part=end&limit=${tailBytes}` : address}
          title={title}
          isCut={bytes > largest}
          isLive={isLive}
        />
      )}
      {isShown && (
        <p class="small">
          <a href={address} target="_blank" rel="noreferrer">
            Open {path}
          </a>
        </p>
      )}
    </details>
  );
}

interface FileTextProps {
  readonly address: string;
  readonly title: string;
  readonly isCut: boolean;
  readonly isLive: boolean;
}

function FileText({ address, title, isCut, isLive }: FileTextProps) {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(isLive || isCut);
  const options = { as: 'text', keepsData: true } as const;
  const { data, failure, reload } = useResource<string>(address, isLive ? { ...options, pollMs } : options);
  useLayoutEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [data]);
  if (failure !== undefined) return <ProblemNotice failure={failure} onRetry={reload} />;
  if (data === undefined) return <Loading what={title} />;
  if (data === '') return <p class="muted small">It is empty.</p>;
  // The first line may begin in the middle.
  const text = isCut ? data.slice(data.indexOf('\n') + 1) : data;
  return (
    <div class="file-text">
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
      <pre
        class="text"
        tabIndex={0}
        ref={box}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 20;
        }}
      >
        <AnsiText text={text} />
      </pre>
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
      <CopyButton text={stripStyles(text)} what={title} />
    </div>
  );
}
