import './workers.css';
import type { WorkerJson, WorkerList } from '../../server/api/worker.js';
import { EmptyState } from '../ui/empty-state.jsx';
import { Loading } from '../ui/loading.jsx';
import { ProblemNotice } from '../ui/problem-notice.jsx';
import { Age } from '../ui/times.jsx';
import { useResource } from '../ui/use-resource.js';
import { useTitle } from '../ui/use-title.js';

const pollMs = 3000;
/** Share of its places from which on a worker counts as almost full. */
const almost = 0.8;

/** Workers of the cluster, with the runs that each has (SEMANTICS 140). */
export function WorkersPage() {
  useTitle('Workers');
  const { data, failure, reload } = useResource<WorkerList>('workers', { pollMs });
  return (
    <div class="stack">
      <div class="list-head">
        <h1>Workers</h1>
        {data !== undefined && data.workers.length > 0 && <Total workers={data.workers} />}
      </div>
      {failure && (failure.kind !== 'lost' || data === undefined) && (
        <ProblemNotice failure={failure} onRetry={reload} />
      )}
      {data === undefined && failure === undefined && <Loading what="the workers" />}
      {data?.workers.length === 0 && <NoWorkers />}
      {data !== undefined && data.workers.length > 0 && <WorkerTable workers={data.workers} />}
    </div>
  );
}

function Total({ workers }: WorkerList) {
  const runs = workers.reduce((sum, worker) => sum + worker.runs, 0);
  const staying = workers.filter(({ leaving }) => !leaving);
  const room = staying.reduce((sum, worker) => sum + Math.max(0, worker.max_runs - worker.runs), 0);
  return (
    <p class="muted">
      <span class="number">{runs}</span> {runs === 1 ? 'run' : 'runs'}, room for{' '}
      <span class="number">{room}</span> more
    </p>
  );
}

function NoWorkers() {
  return (
    <EmptyState title="No worker is at work" icon="busy">
      <p>
        Runs wait in the queue. Start a worker with <code>attractor worker</code> on any machine that has the
        database.
      </p>
    </EmptyState>
  );
}

function WorkerTable({ workers }: WorkerList) {
  return (
    <table class="list-table worker-table panel">
      <thead>
        <tr>
          <th scope="col">Worker</th>
          <th scope="col">Runs</th>
          <th scope="col" title="Stages of runs of other workers, started with --spread">
            Stages
          </th>
          <th scope="col">Labels</th>
          <th scope="col">Version</th>
          <th scope="col">Started</th>
          <th scope="col">Last sign of life</th>
        </tr>
      </thead>
      <tbody>
        {workers.map((worker) => (
          <Row key={worker.id} worker={worker} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ worker }: { readonly worker: WorkerJson }) {
  const { id, host, pid, labels, version, started, beat, leaving } = worker;
  const { runs, max_runs: mostRuns, stages, max_stages: mostStages } = worker;
  return (
    <tr>
      <td class="worker-name">
        <div class="row">
          <strong title={id}>{host}</strong>
          {leaving && (
            <span
              class="badge"
              data-state="waiting"
              title="It takes no more runs, and hands over those that it has"
            >
              leaving
            </span>
          )}
        </div>
        <span class="muted small mono">{id}</span>
        <span class="visually-hidden">, process {pid}</span>
      </td>
      <td class="worker-load">
        <Load used={runs} most={mostRuns} what="runs" />
      </td>
      <td class="worker-load">
        <Load used={stages} most={mostStages} what="stages" />
      </td>
      <td>
        <div class="row worker-labels">
          {labels.length === 0 && <span class="muted cell-unknown">–</span>}
          {labels.map((label) => (
            <span key={label} class="badge badge-outline">
              {label}
            </span>
          ))}
        </div>
      </td>
      <td class="mono small worker-version">{version}</td>
      <td class="muted worker-started">
        <Age at={started} />
      </td>
      <td class="muted">
        <Age at={beat} />
      </td>
    </tr>
  );
}

interface LoadFacts {
  readonly used: number;
  readonly most: number;
  readonly what: string;
}

/** Used part of a worker's places, by a bar and in words. A narrow screen has no heads of columns, and shows what is counted. */
function Load({ used, most, what }: LoadFacts) {
  const share = most > 0 ? used / most : 1;
  const state = share >= 1 ? 'failed' : share >= almost ? 'waiting' : 'done';
  return (
    <div class="load" data-state={state}>
      <span>
        <span class="number">{used}</span> of <span class="number">{most}</span>
        <span class="load-what"> {what}</span>
      </span>
      <div class="load-bar" aria-hidden="true">
        <div class="load-used" style={{ width: `${Math.min(100, share * 100)}%` }} />
      </div>
    </div>
  );
}
