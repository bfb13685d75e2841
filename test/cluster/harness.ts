import type { Batch, DurableSteps, RunMessage, Submission } from '../../src/cluster/durable-run.js';
import { hostRun } from '../../src/cluster/host-run.js';
import type { LiveRun } from '../../src/cluster/live-run.js';
import { prepareSubmission } from '../../src/cluster/prepare-submission.js';
import type { RunHistory } from '../../src/cluster/run-history.js';
import { compile } from '../../src/compiler/compile.js';
import type { RunEvent } from '../../src/machine/event.js';
import { startContinuing } from '../../src/run/execution.js';
import { waitingInterviewer } from '../../src/run/questions/interviewer.js';
import type { RunOptions } from '../../src/run/run.js';
import { virtualClock } from '../../src/run/simulate/virtual-clock.js';
import { memoryFileSystem } from '../support/memory-file-system.js';
import { virtualStart } from '../support/virtual-clock.js';

/** An engine for durable execution in memory: what it has recorded survives the worker. */
export class MemoryEngine {
  readonly batches: Batch[] = [];
  /** Called with each batch when it is recorded. */
  onRecorded: (batch: Batch) => void = () => undefined;
  readonly #sent: RunMessage[] = [];
  readonly #received: RunMessage[] = [];
  #onSent: () => void = () => undefined;
  #generation = 0;

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
    let messages = 0;
    let left = mostSteps;
    const generation = this.#generation;
    return {
      step: async (action) => {
        const recorded = this.batches[step];
        step += 1;
        if (recorded !== undefined) return recorded;
        const batch: Batch = JSON.parse(JSON.stringify(await action()));
        left -= 1;
        if (left < 0 || generation !== this.#generation) throw new WorkerDied();
        this.batches.push(batch);
        this.onRecorded(batch);
        return batch;
      },
      receive: async () => {
        const next = this.#received[messages] ?? this.#sent[messages];
        if (next !== undefined) this.#received[messages] = next;
        messages += 1;
        return next;
      },
      messageWaits: (signal) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            if (this.#sent.length > messages) resolve();
          };
          this.#onSent = look;
          signal.addEventListener('abort', () => reject(signal.reason));
          look();
        }),
    };
  }
}

export class WorkerDied extends Error {}

/** What workers of a test have in common. */
export interface TestCluster {
  readonly submission: Submission;
  readonly engine: MemoryEngine;
  /** Executes the run on another worker, which has a disk of its own. */
  work(setup?: { mostSteps?: number; onLive?: (run: LiveRun) => void }): Promise<RunHistory>;
}

export async function submitted(dot: string, options: RunOptions = {}): Promise<TestCluster> {
  const clock = virtualClock({ start: virtualStart });
  const submission = await prepareSubmission(compile(dot, { ruleSettings: options.ruleSettings }), {
    clock,
    runDirectory: '/dev/null/submitted/run',
    fileSystem: memoryFileSystem(),
    ...options,
  });
  if ('status' in submission) throw new Error(JSON.stringify(submission.diagnostics));
  const engine = new MemoryEngine();
  const { handlers, backend, ruleSettings, interviewer = waitingInterviewer } = options;
  return {
    submission,
    engine,
    work: ({ mostSteps, onLive } = {}) => {
      const fileSystem = memoryFileSystem();
      return hostRun(submission, engine.steps(mostSteps), {
        directory: '/dev/null/worker/run',
        fileSystem,
        onLive,
        prepare: async (directory) => ({
          close: async () => undefined,
          start: (durableLog) =>
            startContinuing(
              directory,
              {
                fileSystem,
                handlers,
                backend,
                ruleSettings,
                interviewer,
                clock: virtualClock({ start: virtualStart }),
              },
              { durableLog },
            ),
        }),
      });
    },
  };
}
