import { useEffect } from 'preact/hooks';
import { formatBytes } from '../../../view/format-values.js';
import type { ArtifactList } from '../../../view/stage-schema.js';
import { part } from '../../api/request.js';
import { EmptyState } from '../../ui/empty-state.jsx';
import { Loading } from '../../ui/loading.jsx';
import { ProblemNotice } from '../../ui/problem-notice.jsx';
import { Age } from '../../ui/times.jsx';
import { useResource } from '../../ui/use-resource.js';

interface ArtifactsTabProps {
  readonly runId: string;
  /** Changes when there may be more. */
  readonly version: number;
}

/** Artifacts that the stages of a run have stored (§5.5), each to open or to download. */
export function ArtifactsTab({ runId, version }: ArtifactsTabProps) {
  const base = `pipelines/${part(runId)}/artifacts`;
  const { data, failure, reload } = useResource<ArtifactList>(base);
  useEffect(() => {
    const timer = setTimeout(reload, 300);
    return () => clearTimeout(timer);
  }, [version, reload]);
  if (failure !== undefined && data === undefined)
    return <ProblemNotice failure={failure} onRetry={reload} />;
  if (data === undefined) return <Loading what="the artifacts" />;
  if (data.artifacts.length === 0)
    return (
      <EmptyState title="No artifact was stored">
        <p>
          Large values and results that stages store appear here. The files of each stage are in its
          inspector.
        </p>
      </EmptyState>
    );
  return (
    <ul class="files">
      {data.artifacts.map(({ id, name, bytes, stored_at: storedAt }) => (
        <li key={id} class="row">
          <a href={`${base}/${part(id)}`} target="_blank" rel="noreferrer">
            {name === '' ? id : name}
          </a>
          {name !== '' && name !== id && <code class="muted">{id}</code>}
          <span class="muted small number">{formatBytes(bytes)}</span>
          {storedAt !== null && (
            <span class="muted small">
              <Age at={storedAt} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
