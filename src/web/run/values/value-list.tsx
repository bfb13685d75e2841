import { useState } from 'preact/hooks';
import type { JsonValue } from '../../../graph/json.js';
import { isFileReference } from '../../../graph/values/file-reference.js';
import { isArtifactReference } from '../../../run-directory/artifact-reference.js';
import { formatBytes } from '../../../view/format-values.js';
import { part } from '../../api/request.js';
import { Loading } from '../../ui/loading.jsx';
import { ProblemNotice } from '../../ui/problem-notice.jsx';
import { useResource } from '../../ui/use-resource.js';
import { WholeValue } from './whole-value.jsx';

export interface NamedValue {
  readonly name: string;
  /** Remark after the name, such as the attribute that reads it. */
  readonly note?: string;
  /** Undefined for a value that does not exist. */
  readonly value: JsonValue | undefined;
}

interface ValueListProps {
  readonly runId: string;
  readonly values: readonly NamedValue[];
}

/** Values by name: texts as they are, everything else as a tree; each can be copied, and loaded if it is kept elsewhere. */
export function ValueList({ runId, values }: ValueListProps) {
  if (values.length === 0) return null;
  return (
    <dl class="values">
      {values.map(({ name, note = '', value }) => (
        <div key={name}>
          <dt>
            <code>{name}</code>
            {note !== '' && <span class="muted small"> {note}</span>}
          </dt>
          <dd>
            {value === undefined ? (
              <p class="muted small">It had no value.</p>
            ) : (
              <ValueView runId={runId} name={name} value={value} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ValueViewProps {
  readonly runId: string;
  readonly name: string;
  readonly value: JsonValue;
}

function ValueView({ runId, name, value }: ValueViewProps) {
  if (isArtifactReference(value))
    return (
      <StoredValue
        address={`pipelines/${part(runId)}/artifacts/${part(value.$artifact)}`}
        name={name}
        preview={value.preview}
        bytes={value.size_bytes}
      />
    );
  if (!isFileReference(value)) return <WholeValue name={name} value={value} />;
  const { $file: file, bytes, preview } = value as typeof value & { readonly preview?: string };
  return (
    <>
      {preview !== undefined && <WholeValue name={name} value={preview} />}
      <p class="muted small">
        A text of {formatBytes(bytes)}; the stage that wrote <code>{file}</code> shows it all.
      </p>
    </>
  );
}

interface StoredValueProps {
  readonly address: string;
  readonly name: string;
  readonly preview: string;
  readonly bytes: number;
}

/** Bytes above which a value is opened by itself: a tree of it would freeze the page. */
const largest = 5_000_000;

/** A value that was too large for the context: its beginning, and all of it when asked for. */
function StoredValue({ address, name, preview, bytes }: StoredValueProps) {
  const [isWanted, setWanted] = useState(false);
  const { data, failure, reload } = useResource<JsonValue>(isWanted ? address : undefined);
  if (data !== undefined) return <WholeValue name={name} value={data} />;
  return (
    <>
      <pre class="text">{preview}…</pre>
      {failure !== undefined && <ProblemNotice failure={failure} onRetry={reload} />}
      {isWanted && failure === undefined && <Loading what={name} />}
      <p class="small">
        {!isWanted && bytes <= largest && (
          <button type="button" class="link" onClick={() => setWanted(true)}>
            Show all {formatBytes(bytes)}
          </button>
        )}
        {bytes > largest && (
          <a href={address} target="_blank" rel="noreferrer">
            Open all {formatBytes(bytes)}
          </a>
        )}
      </p>
    </>
  );
}
