import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import type { Batch, DurableSteps, RunMessage, Segment, Submission } from '../../src/cluster/durable-run.js';
import type { FileStore } from '../../src/cluster/files/file-store.js';
import { type ForkRequest, prepareFork } from '../../src/cluster/fork-run.js';
import { hostRun } from '../../src/cluster/host-run.js';
import type { LiveRun } from '../../src/cluster/live-run.js';
import type { DrivePurpose, PrepareDrive } from '../../src/cluster/prepare-drive.js';
import { prepareSubmission } from '../../src/cluster/prepare-submission.js';
import { RunHistory } from '../../src/cluster/run-history.js';
import { HostedStage } from '../../src/cluster/spread/host-stage.js';
import {
  batchOf,
  type StoredSubmission,
  storedBatch,
  storedSubmission,
  submissionOf,
} from '../../src/cluster/stored-batch.js';
import { compile } from '../../src/compiler/compile.js';
import type { RunEvent } from '../../src/machine/event.js';
import type { Outcome } from '../../src/machine/outcome.js';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import { startContinuing } from '../../src/run/execution.js';
import { waitingInterviewer } from '../../src/run/questions/interviewer.js';
import { performAttempt, type ResumeOptions, type RunOptions } from '../../src/run/run.js';
import type { RunPorts } from '../../src/run/run-options.js';
import { virtualClock } from '../../src/run/simulate/virtual-clock.js';
import { cacheFileSystem, type FileSystem } from '../../src/run-directory/file-system.js';
import { memoryFileSystem } from '../support/memory-file-system.js';
import { virtualStart } from '../support/virtual-clock.js';
import { MemoryStages } from './memory-stages.js';

/** An engine for durable execution in memory: what it has recorded survives the worker. */
export class MemoryEngine {
  readonly batches: Batch[];
  /** Ends of segments; the number of a step is that of the batches before it. */
  readonly segments: { step: number; segment: Segment | null }[] = [];
  /** Called with each batch when it is recorded. */
  onRecorded: (batch: Batch) => void = () => undefined;
  /** Called when the end of a segment is recorded. */
  onSegment: () => void = () => undefined;
  readonly #sent: RunMessage[] = [];
  readonly #forgotten = new Set<string>();
  #onSent: () => void = () => undefined;
  #generation = 0;

  /** @param batches that are recorded already */
  constructor(batches: readonly Batch[] = []) {
    this.batches = [...batches];
  }

  send(message: RunMessage): void {
    this.#sent.push(message);
    this.#onSent();
  }

  get events(): readonly RunEvent[] {
    return this.batches.flatMap(({ records }) =>
      records.flatMap(({ place, events }) => (place === undefined ? events : [])),
    );
  }

  /** Ends the worker that has the run: it records nothing more. */
  die(): void {
    this.#generation += 1;
  }

  /**
   * Steps of one execution of a run.
   * @param mostSteps number of new steps after which the worker dies, before it records another one
   */
  steps(mostSteps = Number.POSITIVE_INFINITY): DurableSteps {
    let step = 0;
    const handedOut = new Set<string>();
    let left = mostSteps;
    const generation = this.#generation;
    const live = <Recorded>(recorded: Recorded): Recorded => {
      if (left === 0 || generation !== this.#generation) throw new WorkerDied();
      return JSON.parse(JSON.stringify(recorded));
    };
    return {
      step: async (action) => {
        const recorded = this.batches[step];
        step += 1;
        if (recorded !== undefined) return recorded;
        const batch = batchOf(live(storedBatch(await action())));
        left -= 1;
        this.batches.push(batch);
        this.onRecorded(batch);
        return batch;
      },
      recorded: async (after) => this.batches.slice(after?.step),
      endSegment: async (action) => {
        if (this.segments.some((recorded) => recorded.step === step)) return;
        this.segments.push({ step, segment: live((await action()) ?? null) });
        this.onSegment();
      },
      latestSegment: async () => this.segments.findLast(isStored),
      beginAfter: (segment) => {
        step = segment.step;
      },
      resumptions: async () => this.#sent.flatMap(({ kind, id }) => (kind === 'resume' ? [id] : [])),
      messages: (signal) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            const found = this.#sent.filter(({ id }) => !handedOut.has(id) && !this.#forgotten.has(id));
            if (found.length === 0) return;
            for (const { id } of found) handedOut.add(id);
            // What is sent before the next call waits for it.
            if (this.#onSent === look) this.#onSent = () => undefined;
            resolve(found);
          };
          this.#onSent = look;
          signal.addEventListener('abort', () => {
            if (this.#onSent === look) this.#onSent = () => undefined;
            reject(signal.reason);
          });
          look();
        }),
      forget: (ids) => {
        for (const id of ids) this.#forgotten.add(id);
      },
    };
  }
}

function isStored<Recorded extends { readonly segment: Segment | null }>(
  recorded: Recorded,
): recorded is Recorded & { readonly segment: Segment } {
  return recorded.segment !== null;
}

/** A store of files in memory. */
export interface MemoryStore extends FileStore {
  readonly contents: Map<string, Uint8Array>;
}

export function memoryStore(given: Iterable<readonly [string, Uint8Array]> = []): MemoryStore {
  const contents = new Map(given);
  return {
    contents,
    async put(added) {
      for (const { sha256, bytes } of added) contents.set(sha256, Uint8Array.from(bytes));
    },
    async get(hashes) {
      return new Map(
        hashes.flatMap((sha256) => {
          const bytes = contents.get(sha256);
          return bytes === undefined ? [] : [[sha256, bytes] as const];
        }),
      );
    },
  };
}

export class WorkerDied extends Error {}

/** What workers of a test have in common. */
export interface TestCluster {
  readonly submission: Submission;
  readonly engine: MemoryEngine;
  readonly store: MemoryStore;
  /** Executes the run on another worker, which has a disk of its own. */
  work(worker?: TestWorker): Promise<RunHistory>;
  /** Attempts that other workers perform; undefined if the run is not spread. */
  readonly stages: MemoryStages | undefined;
  /** The same run as it was when only so many steps were recorded. */
  after(steps: number): TestCluster;
}

interface TestWorker {
  readonly mostSteps?: number;
  readonly onLive?: (run: LiveRun, history: RunHistory) => void;
  readonly segmentInputs?: number;
  /** Milliseconds after which a run that only waits is released. */
  readonly releaseMs?: number;
  readonly onRelease?: () => void;
  readonly onDisk?: (disk: FileSystem) => void;
  /** Work that the run waits for each time before it is driven. */
  readonly onPrepare?: (purpose: DrivePurpose) => Promise<void>;
  readonly onProblem?: (problem: string) => void;
  /** Milliseconds for which it leaves the directory of the run to another worker. */
  readonly leaseMs?: number;
  /** Directory of the run there; by default a new one. */
  readonly directory?: string;
  /** Ports of this worker that differ from those of all. */
  readonly ports?: Pick<RunPorts, 'handlers' | 'backend'>;
}

/** @param home place for the directories of the workers; without it they are in memory, where no child can be resumed */
export async function submitted(dot: string, options: RunOptions = {}, home?: string): Promise<TestCluster> {
  const { handlers, ruleSettings } = options;
  const submission = await prepareSubmission(compile(dot, { ruleSettings, handlerTypes: handlers?.types }), {
    clock: virtualClock({ start: virtualStart }),
    runDirectory: '/dev/null/submitted/run',
    fileSystem: memoryFileSystem(),
    ...options,
  });
  if ('status' in submission) throw new Error(JSON.stringify(submission.diagnostics));
  return clusterOf({ submission, options, home });
}

/** A fork of the run of another cluster, with a store of its own. */
export async function forkedFrom(
  original: TestCluster,
  point: Pick<ForkRequest, 'at' | 'step'>,
  options: RunOptions = {},
  home?: string,
): Promise<TestCluster> {
  const { submission, engine, store } = original;
  const until = (seq: number): RunHistory => {
    const history = new RunHistory(submission);
    for (const batch of engine.batches) if (history.view.seq < seq) history.add(batch);
    return history;
  };
  const { program } = compile(submission.pipeline, { ruleSettings: options.ruleSettings });
  if (program === undefined) throw new Error('the pipeline is not valid');
  const fork = await prepareFork(
    { history: until(Number.POSITIVE_INFINITY), historyUntil: async (seq) => until(seq), machine: 'host' },
    {
      ...point,
      program,
      runId: 'fork',
      clock: virtualClock({ start: virtualStart }),
      directory: '/dev/null',
    },
  );
  const stored: StoredSubmission = JSON.parse(JSON.stringify(storedSubmission(fork.submission)));
  return clusterOf({ submission: submissionOf(stored), options, home, sharedFiles: store });
}

interface Cluster {
  readonly submission: Submission;
  readonly options: RunOptions;
  readonly home: string | undefined;
  readonly sharedFiles?: FileStore | undefined;
}

/** What is recorded of a run. */
interface Recorded {
  readonly batches: readonly Batch[];
  readonly contents: Iterable<readonly [string, Uint8Array]>;
  /** Number of contents when each of the batches was recorded. */
  readonly sizes: readonly number[];
}

/** Workers for a run that was submitted. */
export function clusterOf(
  cluster: Cluster,
  recorded: Recorded = { batches: [], contents: [], sizes: [] },
): TestCluster {
  const { submission, options, home, sharedFiles } = cluster;
  const engine = new MemoryEngine(recorded.batches);
  const store = memoryStore(recorded.contents);
  const sizes = [...recorded.sizes];
  const { handlers, backend, ruleSettings, interviewer = waitingInterviewer } = options;
  const prepareOn =
    (
      fileSystem: FileSystem,
      { ports, onPrepare }: Pick<TestWorker, 'ports' | 'onPrepare'> = {},
    ): PrepareDrive =>
    async (runDirectory, given, purpose) => {
      await onPrepare?.(purpose);
      const here: ResumeOptions = {
        ...given,
        fileSystem,
        handlers,
        backend,
        ruleSettings,
        interviewer,
        clock: options.clock ?? virtualClock({ start: virtualStart }),
        ...ports,
      };
      return {
        compileOptions: { ruleSettings, handlerTypes: handlers?.types },
        close: async () => undefined,
        start: (call) => startContinuing(runDirectory, here, call),
        perform: (place, attempt) => performAttempt(place, here, attempt),
      };
    };
  const diskOf = (fileSystem: FileSystem): string =>
    fileSystem === cacheFileSystem ? mkdtempSync(path.join(home ?? '', 'worker-')) : '/dev/null/worker';
  const stages = options.spread
    ? new MemoryStages(
        (request, steps) => {
          const fileSystem = home === undefined ? memoryFileSystem() : cacheFileSystem;
          const directory = path.join(diskOf(fileSystem), 'run');
          return new HostedStage(request, steps, {
            directory,
            fileSystem,
            store,
            prepare: prepareOn(fileSystem),
          });
        },
        () => {
          const history = new RunHistory(submission);
          for (const batch of engine.batches) history.add(batch);
          return history;
        },
      )
    : undefined;
  return {
    submission,
    engine,
    store,
    stages,
    work: ({
      mostSteps,
      segmentInputs,
      onLive,
      releaseMs,
      onRelease,
      onDisk,
      onPrepare,
      onProblem,
      leaseMs,
      directory,
      ports,
    } = {}) => {
      const fileSystem = home === undefined ? memoryFileSystem() : cacheFileSystem;
      const disk = diskOf(fileSystem);
      onDisk?.(fileSystem);
      const steps = engine.steps(mostSteps);
      const counted: DurableSteps = {
        ...steps,
        async step(action) {
          const batch = await steps.step(action);
          sizes[engine.batches.length - 1] ??= store.contents.size;
          return batch;
        },
      };
      return hostRun(submission, counted, {
        directory: directory ?? path.join(disk, 'run'),
        fileSystem,
        store,
        sharedFiles,
        segmentInputs,
        onLive,
        releaseMs,
        onRelease,
        onProblem,
        leaseMs,
        stages: stages?.ofRun(),
        prepare: prepareOn(fileSystem, { ports, onPrepare }),
      });
    },
    after: (count) =>
      clusterOf(cluster, {
        batches: engine.batches.slice(0, count),
        contents: [...store.contents].slice(0, count === 0 ? 0 : sizes[count - 1]),
        sizes: sizes.slice(0, count),
      }),
  };
}

/** Stages whose outcomes depend on nothing but the visit and the attempt, so that every worker has the same. */
export function handlersOf(sequence: readonly Outcome[]): HandlerRegistry {
  const registry = new HandlerRegistry();
  for (const type of ['codergen', 'tool', 'wait.human'])
    registry.register(type, {
      execute: async ({ node, visit, attempt }) =>
        sequence[(Number(node.id.slice(1)) + visit + attempt) % sequence.length],
    });
  return registry;
}
