import { randomUUID } from 'node:crypto';
import type {
  Carrier,
  Cluster,
  ClusterRun,
  ClusterWorker,
  UnsentMessage,
} from '../../src/cluster/cluster.js';
import type { Submission } from '../../src/cluster/durable-run.js';
import type { FileStore } from '../../src/cluster/files/file-store.js';
import { RunHistory } from '../../src/cluster/run-history.js';
import { endOf } from '../../src/cluster/run-progress.js';
import type { RunOptions } from '../../src/run/run.js';
import { UsageError } from '../../src/setup/usage-error.js';
import { isOver } from '../../src/view/run-status.js';
import { clusterOf, type TestCluster } from './harness.js';

export const onWorker: Carrier = { kind: 'worker', id: 'host-7-abc', host: 'host', pid: 7, since: 1000 };

/** A run of the engine in memory, as a client sees it. */
export class MemoryRun implements ClusterRun {
  readonly history: RunHistory;
  readonly files: FileStore;
  readonly submittedAt: number;
  readonly machine = 'host';
  readonly #cluster: TestCluster;
  readonly #sent = new Set<string>();
  carrier: Carrier = onWorker;
  stageWorkers: ReadonlyMap<string, string> = new Map();
  problem: Error | undefined;
  #read = 0;

  constructor(cluster: TestCluster, submittedAt = 1) {
    this.#cluster = cluster;
    this.submittedAt = submittedAt;
    this.files = cluster.store;
    this.history = new RunHistory(cluster.submission);
  }

  async refresh(): Promise<void> {
    if (this.problem !== undefined) throw this.problem;
    const { batches } = this.#cluster.engine;
    for (const batch of batches.slice(this.#read)) this.history.add(batch);
    this.#read = batches.length;
  }

  async historyUntil(seq: number): Promise<RunHistory> {
    const history = new RunHistory(this.history.submission);
    for (const batch of this.#cluster.engine.batches) if (history.view.seq < seq) history.add(batch);
    return history;
  }

  async send(message: UnsentMessage, id: string = randomUUID()): Promise<string> {
    if (!this.#sent.has(id)) this.#cluster.engine.send({ ...message, id });
    this.#sent.add(id);
    return id;
  }

  async restart(): Promise<void> {
    this.carrier = onWorker;
  }
}

/** A cluster in memory, whose only worker takes the runs that a test lets it take. */
export class MemoryCluster implements Cluster {
  /** Number of questions to the database, by operation. */
  readonly asked = new Map<string, number>();
  readonly atWork: ClusterWorker[] = [];
  /** Clusters of the tenants for whom whoever has this one may act. */
  readonly tenants = new Map<string, MemoryCluster>();
  /** Thing that submitted runs wait for. */
  awaited: string | undefined;
  readonly #runs = new Map<
    string,
    { readonly cluster: TestCluster; carrier: Carrier; readonly at: number }
  >();
  readonly #options: RunOptions;
  readonly #home: string;

  /** @param home place for the directories of the worker */
  constructor(home: string, options: RunOptions = {}) {
    this.#home = home;
    this.#options = options;
  }

  async submit(submission: Submission): Promise<void> {
    this.#note('submit');
    const [original = ''] = submission.shared?.runs ?? [];
    const sharedFiles = this.#runs.get(original)?.cluster.store;
    const cluster = clusterOf({ submission, options: this.#options, home: this.#home, sharedFiles });
    const carrier: Carrier = { kind: 'queue', since: 1, awaits: this.awaited };
    this.#runs.set(submission.runId, { cluster, carrier, at: this.#runs.size + 1 });
  }

  /** Lets the worker have a run, until it has ended. @returns its end */
  async take(runId: string): Promise<void> {
    const run = this.#runOf(runId);
    run.carrier = onWorker;
    await run.cluster.work();
    run.carrier = { kind: 'over' };
  }

  /** The engine gives a run up. */
  giveUp(runId: string, problem: string): void {
    this.#runOf(runId).carrier = { kind: 'failed', problem };
  }

  async find(runId: string): Promise<ClusterRun | undefined> {
    this.#note('find');
    const stored = this.#runs.get(runId);
    if (stored === undefined) return undefined;
    const run = new MemoryRun(stored.cluster, stored.at);
    Object.defineProperty(run, 'carrier', { get: () => stored.carrier });
    run.restart = async () => void this.take(runId);
    await run.refresh();
    return run;
  }

  async list(limit = Number.POSITIVE_INFINITY): ReturnType<Cluster['list']> {
    this.#note('list');
    const runs = [...this.#runs].map(([runId, { cluster, carrier, at }]) => {
      const { view } = historyOf(cluster);
      return {
        runId,
        status: statusOf(carrier, view.status),
        worker: carrier.kind === 'worker' ? carrier.id : undefined,
        manifest: cluster.submission.manifest,
        end: isOver(view.status) && carrier.kind === 'over' ? endOf(view) : undefined,
        submittedAt: at,
        awaits: carrier.kind === 'queue' ? carrier.awaits : undefined,
        problem: carrier.kind === 'failed' ? carrier.problem : undefined,
        shared: cluster.submission.shared?.batch,
      };
    });
    return runs.reverse().slice(0, limit);
  }

  async news(after: ReadonlyMap<string, number>): ReturnType<Cluster['news']> {
    this.#note('news');
    return [...after].flatMap(([runId, from]) =>
      this.#runOf(runId)
        .cluster.engine.batches.slice(from)
        .map((batch, index) => ({ runId, batch, next: from + index + 1 })),
    );
  }

  async workers(): Promise<readonly ClusterWorker[]> {
    this.#note('workers');
    return this.atWork;
  }

  async forTenant(tenant: string): Promise<MemoryCluster> {
    this.#note('forTenant');
    const cluster = this.tenants.get(tenant);
    if (cluster !== undefined) return cluster;
    throw new UsageError(`the database has no role "${tenant}"`);
  }

  async close(): Promise<void> {
    this.#runs.clear();
  }

  #note(operation: string): void {
    this.asked.set(operation, (this.asked.get(operation) ?? 0) + 1);
  }

  #runOf(runId: string) {
    const run = this.#runs.get(runId);
    if (run === undefined) throw new Error(`there is no run ${runId}`);
    return run;
  }
}

function historyOf({ submission, engine }: TestCluster): RunHistory {
  const history = new RunHistory(submission);
  for (const batch of engine.batches) history.add(batch);
  return history;
}

function statusOf({ kind }: Carrier, recorded: string): string {
  if (kind === 'over') return recorded;
  if (kind === 'failed') return 'error';
  return kind === 'queue' ? 'queued' : 'running';
}
