import { useEffect, useState } from 'preact/hooks';
import type { JsonValue } from '../../../graph/json.js';
import { part } from '../../api/request.js';
import { EmptyState } from '../../ui/empty-state.jsx';
import { Loading } from '../../ui/loading.jsx';
import { ProblemNotice } from '../../ui/problem-notice.jsx';
import { useResource } from '../../ui/use-resource.js';
import { AnsiText } from '../inspector/ansi-text.jsx';

interface ContextTabProps {
  readonly runId: string;
  /** Changes when the context may have changed. */
  readonly version: number;
}

const longest = 2000;

/** The context of a run as it is now (§5.1): every key with its value, found by words of either. */
export function ContextTab({ runId, version }: ContextTabProps) {
  const { data, failure, reload } = useResource<ContextAnswer>(`pipelines/${part(runId)}/context`);
  const [text, setText] = useState('');
  useEffect(() => {
    const timer = setTimeout(reload, 300);
    return () => clearTimeout(timer);
  }, [version, reload]);
  if (failure !== undefined && data === undefined)
    return <ProblemNotice failure={failure} onRetry={reload} />;
  if (data === undefined) return <Loading what="the context" />;
  const words = text.trim().toLowerCase();
  const entries = Object.entries(data.context)
    .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value, null, 2)] as const)
    .filter(
      ([key, value]) =>
        words === '' || key.toLowerCase().includes(words) || value.toLowerCase().includes(words),
    );
  return (
    <div class="stack">
      <label class="field">
        <span class="visually-hidden">Find in the context</span>
        <input
          type="search"
          placeholder="Key or value"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      {entries.length === 0 ? (
        <EmptyState
          title={words === '' ? 'The context is empty' : 'Nothing in the context is like that'}
          icon="search"
        />
      ) : (
        <>
          <Values entries={entries.filter(([key]) => words !== '' || !isInternal(key))} />
          {words === '' && entries.some(([key]) => isInternal(key)) && (
            <details>
              <summary>What the engine itself notes</summary>
              <Values entries={entries.filter(([key]) => isInternal(key))} />
            </details>
          )}
        </>
      )}
    </div>
  );
}

type Entry = readonly [key: string, value: string];

/** True for counters of the engine, which are of least interest (§5.1). */
function isInternal(key: string): boolean {
  return key.startsWith('internal.');
}

function Values({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <dl class="values">
      {entries.map(([key, value]) => (
        <div key={key}>
          <dt>
            <code>{key}</code>
          </dt>
          <dd>
            <LongText text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ContextAnswer {
  readonly context: Readonly<Record<string, JsonValue>>;
}

/** A text that may be very long: the beginning, and all of it when asked for. */
function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <pre class="text">
        <AnsiText text={isWhole ? text : text.slice(0, longest)} />
      </pre>
      {text.length > longest && !isWhole && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </>
  );
}
