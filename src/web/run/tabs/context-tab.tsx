import { useEffect, useState } from 'preact/hooks';
import type { JsonValue } from '../../../graph/json.js';
import { part } from '../../api/request.js';
import { EmptyState } from '../../ui/empty-state.jsx';
import { Loading } from '../../ui/loading.jsx';
import { ProblemNotice } from '../../ui/problem-notice.jsx';
import { useResource } from '../../ui/use-resource.js';
import { ValueList } from '../values/value-list.jsx';

interface ContextTabProps {
  readonly runId: string;
  /** Changes when the context may have changed. */
  readonly version: number;
}

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
  const values = Object.entries(data.context)
    .map(([name, value]) => ({ name, value }))
    .filter(({ name, value }) => words === '' || holds(name, words) || holds(JSON.stringify(value), words));
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
      {values.length === 0 ? (
        <EmptyState
          title={words === '' ? 'The context is empty' : 'Nothing in the context is like that'}
          icon="search"
        />
      ) : (
        <>
          <ValueList runId={runId} values={values.filter(({ name }) => words !== '' || !isInternal(name))} />
          {words === '' && values.some(({ name }) => isInternal(name)) && (
            <details>
              <summary>Set by the engine</summary>
              <ValueList runId={runId} values={values.filter(({ name }) => isInternal(name))} />
            </details>
          )}
        </>
      )}
    </div>
  );
}

/** True for counters of the engine, which are of least interest (§5.1). */
function isInternal(key: string): boolean {
  return key.startsWith('internal.');
}

function holds(text: string, words: string): boolean {
  return text.toLowerCase().includes(words);
}

interface ContextAnswer {
  readonly context: Readonly<Record<string, JsonValue>>;
}
