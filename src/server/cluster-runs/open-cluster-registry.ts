import { allowManyListeners } from '../../abort/abort.js';
import type { Cluster, ClusterWorker } from '../../cluster/cluster.js';
import type { WorkerJson } from '../api/worker.js';
import { judgeBy } from '../judging/judge-pipeline.js';
import { RunDetails } from '../runs/run-details.js';
import type { RunRegistry, RunRegistryDeps } from '../runs/run-registry.js';
import type { ServerOptions } from '../server-options.js';
import { answered } from './answered.js';
import { ClusterList } from './cluster-list.js';
import type { ClusterParts } from './cluster-parts.js';
import { clusterRunWords } from './cluster-run-words.js';
import { forkRun } from './fork-run.js';
import { KeptMirrors } from './kept-mirrors.js';
import {
  countRuns,
  directoryOf,
  fetchRun,
  followRunEvents,
  isQueued,
  listQuestions,
  listRuns,
  readDetail,
  readDetailText,
} from './look-at-runs.js';
import { resumeRun } from './resume-run.js';
import { answerRun, cancelRun, pauseRun, steerRun } from './steer-runs.js';
import { submitRun } from './submit-run.js';

/** Opens the runs of a cluster for a server, or for one of its tenants: workers execute them, and this process shows them. */
export function openClusterRegistry(
  options: ServerOptions,
  cluster: Cluster,
  deps: RunRegistryDeps,
): RunRegistry {
  const { log, clock, judge = judgeBy() } = deps;
  const mirrors = new KeptMirrors(cluster, options, log);
  const closing = new AbortController();
  // Every stream listens.
  allowManyListeners(closing.signal);
  const now = clock?.now ?? Date.now;
  const parts: ClusterParts = {
    environment: { options, log, clock, keyring: { env: options.variables }, judge },
    cluster,
    mirrors,
    list: new ClusterList(cluster),
    details: new RunDetails(now, clusterRunWords(mirrors)),
    now,
    closing: closing.signal,
  };
  let closed: Promise<void> | undefined;
  return clusterRuns(parts, () => {
    closing.abort();
    closed ??= mirrors.close();
    return closed;
  });
}

/** The operations on the runs of a cluster, each a function of what all of them work with. */
function clusterRuns(parts: ClusterParts, close: RunRegistry['close']): RunRegistry {
  const on =
    <Args extends readonly unknown[], Result>(operation: (parts: ClusterParts, ...args: Args) => Result) =>
    (...args: Args): Result =>
      operation(parts, ...args);
  return {
    fetch: on(fetchRun),
    list: on(listRuns),
    submit: on(submitRun),
    detail: on(readDetail),
    detailText: on(readDetailText),
    isQueued: on(isQueued),
    events: on(followRunEvents),
    cancel: on(cancelRun),
    pause: on(pauseRun),
    resume: on(resumeRun),
    fork: on(forkRun),
    questions: on(listQuestions),
    answer: on(answerRun),
    steer: on(steerRun),
    directory: on(directoryOf),
    // Workers measure what they execute.
    onRunEvent: () => () => undefined,
    counts: on(countRuns),
    workers: async () => (await answered(parts.cluster.workers())).map(workerJson),
    close,
  };
}

function workerJson({ id, host, pid, labels, runs, max_runs, ...worker }: ClusterWorker): WorkerJson {
  const { stages, max_stages, version, started, beat, leaving } = worker;
  return {
    id,
    host,
    pid,
    labels: [...labels],
    runs,
    max_runs,
    stages,
    max_stages,
    version,
    started: started.toISOString(),
    beat: beat.toISOString(),
    leaving,
  };
}
