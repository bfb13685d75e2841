import { onAbort } from '../../src/abort/abort.js';
import type { RunHistory } from '../../src/cluster/run-history.js';
import type { HostedStage } from '../../src/cluster/spread/host-stage.js';
import type {
  StageEnding,
  StageQueue,
  StageReport,
  StageRequest,
  StageStep,
  StageSteps,
} from '../../src/cluster/spread/stage-queue.js';
import { stateAfter } from '../../src/cluster/spread/stage-state.js';
import { triesBefore } from '../../src/cluster/spread/try-id.js';
import type { StageOrder } from '../../src/run/elsewhere/stages-elsewhere.js';

/** An attempt in the queue, and what is recorded of it. */
export interface QueuedStage {
  readonly request: StageRequest;
  readonly orders: StageOrder[];
  readonly steps: StageStep[];
  ending: StageEnding | undefined;
  /** Tells the worker that has it of an order. */
  onOrder: () => void;
  /** The worker that has it; undefined if none has. */
  hosted: HostedStage | undefined;
}

/** A queue of stages in memory, with as many workers as there are stages; what it holds survives them, and the worker of the run. */
export class MemoryStages {
  readonly queued = new Map<string, QueuedStage>();
  /** Reports that nobody has forgotten. */
  readonly reports: StageReport[] = [];
  /** Called when a worker is about to begin an attempt; if it returns false, the worker does not. */
  onTake: (request: StageRequest) => boolean = () => true;
  /** Called with each order; it arrives when the result resolves. */
  onOrder: (order: StageOrder) => Promise<void> = async () => undefined;
  readonly #host: (request: StageRequest, steps: StageSteps) => HostedStage;
  readonly #history: () => RunHistory;
  readonly #onReport = new Set<() => void>();

  constructor(host: (request: StageRequest, steps: StageSteps) => HostedStage, history: () => RunHistory) {
    this.#host = host;
    this.#history = history;
  }

  /** Port for one execution of the run. */
  ofRun(): StageQueue {
    const handedOut = new Set<string>();
    return {
      submit: async (request) => {
        const known = this.queued.get(request.id);
        if (known !== undefined) {
          const waits = this.reports.some(
            ({ stage, ending }) => stage === request.id && ending !== undefined,
          );
          return known.ending === 'settled' && !waits ? 'unsettled' : known.ending;
        }
        const plain: StageRequest = JSON.parse(JSON.stringify(request));
        const stage: QueuedStage = {
          request: plain,
          orders: [],
          steps: [],
          ending: undefined,
          onOrder: () => undefined,
          hosted: undefined,
        };
        this.queued.set(request.id, stage);
        this.take(stage);
        return undefined;
      },
      tell: async (id, order) => {
        await this.onOrder(order);
        const stage = this.queued.get(id);
        stage?.orders.push(JSON.parse(JSON.stringify(order)));
        stage?.onOrder();
      },
      reports: (signal) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            const found = this.reports.filter(({ id }) => !handedOut.has(id));
            if (found.length === 0) return;
            for (const { id } of found) handedOut.add(id);
            this.#onReport.delete(look);
            release();
            resolve(found);
          };
          this.#onReport.add(look);
          const release = onAbort(signal, () => {
            this.#onReport.delete(look);
            reject(signal.reason);
          });
          look();
        }),
      forget: (ids) => {
        for (const id of ids) {
          const index = this.reports.findIndex((report) => report.id === id);
          if (index >= 0) this.reports.splice(index, 1);
        }
      },
      open: async () => [...this.queued].flatMap(([id, { ending }]) => (ending === undefined ? [id] : [])),
      withdraw: async (id) => {
        const stage = this.queued.get(id);
        if (stage === undefined || stage.hosted !== undefined || stage.ending !== undefined) return false;
        stage.ending = 'unsettled';
        return true;
      },
      lost: async () => [],
      close: () => handedOut.clear(),
    };
  }

  /** Lets a worker have an attempt. */
  take(stage: QueuedStage): void {
    if (!this.onTake(stage.request)) return;
    let told = 0;
    const hosted = this.#host(stage.request, {
      before: latestExecution(stage.steps),
      leftByTriesBefore: async () =>
        triesBefore(stage.request.id)
          .map((id) => stateAfter(latestExecution(this.queued.get(id)?.steps ?? [])))
          .find((state) => state !== undefined)?.left,
      record: async (step) => void stage.steps.push(JSON.parse(JSON.stringify(step))),
      send: async (report) => {
        if (this.reports.some(({ id }) => id === report.id)) return;
        this.reports.push(JSON.parse(JSON.stringify(report)));
        for (const look of [...this.#onReport]) look();
      },
      orders: (signal) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            const found = stage.orders.slice(told);
            if (found.length === 0) return;
            told += found.length;
            release();
            resolve(found);
          };
          stage.onOrder = look;
          const release = onAbort(signal, () => reject(signal.reason));
          look();
        }),
      history: async () => this.#history(),
    });
    stage.hosted = hosted;
    void hosted.perform().then((ending) => {
      stage.ending = ending;
      if (stage.hosted === hosted) stage.hosted = undefined;
    });
  }
}

function latestExecution(steps: readonly StageStep[]): readonly StageStep[] {
  const begun = steps.findLastIndex(({ kind }) => kind === 'begun');
  return begun < 0 ? [] : steps.slice(begun);
}
