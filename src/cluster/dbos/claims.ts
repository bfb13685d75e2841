import type { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { kindOfQueue, type QueueKind } from './queues.js';

/** Rules by which a worker takes runs out of the queues. */
export interface ClaimRules {
  /** True if what is in a queue may be executed on this worker; undefined for a queue of DBOS itself. */
  mayTakeFrom(queue: string): boolean | undefined;
  /** Number of runs, or of stages, that it may take now. */
  room(kind: QueueKind): number;
}

/**
 * Holds a worker to its own rules when it takes runs out of the queues. Limits of queues are the same for all workers, and for each queue
 * by itself, because they stand in the database; what this machine has, and how much it can carry, is its own (CLUSTER P8).
 */
export class Claims {
  readonly #rules: ClaimRules;
  /** Claims whose execution has not begun, with their times. */
  readonly #claimed = new Map<string, { readonly kind: QueueKind; readonly time: number }>();
  /** Stages that the next claim takes. */
  #stagesAtOnce = 1;
  /** Queue: claims are made one after the other, so that they do not share the same room. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(executor: DBOSExecutor, rules: ClaimRules) {
    this.#rules = rules;
    const { systemDatabase } = executor;
    const claim = systemDatabase.findAndMarkStartableWorkflows.bind(systemDatabase);
    systemDatabase.findAndMarkStartableWorkflows = (queue, ...call) => {
      const isAllowed = rules.mayTakeFrom(queue.name);
      if (isAllowed === undefined) return claim(queue, ...call);
      if (!isAllowed) return Promise.resolve([]);
      const [executorId, version, partition, , , owner] = call;
      return this.#inOrder(queue.name, (room) => {
        const limited = Object.create(queue, { workerConcurrency: { value: room } });
        return claim(limited, executorId, version, partition, 0, 0, owner);
      });
    };
    // DBOS calls it for a queue with one run at a time in each partition.
    const claimHeads = systemDatabase.findAndMarkStartablePartitionedWorkflows.bind(systemDatabase);
    systemDatabase.findAndMarkStartablePartitionedWorkflows = (queue, ...call) => {
      const isAllowed = rules.mayTakeFrom(queue.name);
      if (isAllowed === undefined) return claimHeads(queue, ...call);
      if (!isAllowed) return Promise.resolve([]);
      const [executorId, version, , owner] = call;
      return this.#inOrder(queue.name, (room) =>
        room === 0 ? Promise.resolve([]) : claimHeads(queue, executorId, version, room, owner),
      );
    };
  }

  #inOrder(queue: string, claim: (room: number) => Promise<string[]>): Promise<string[]> {
    const kind = kindOfQueue(queue) ?? 'runs';
    const result = this.#last.then(async () => {
      const room = this.#room(kind);
      const wanted = kind === 'stages' ? Math.min(room, this.#stagesAtOnce) : room;
      const ids = await claim(wanted);
      if (kind === 'stages') this.#stagesAtOnce = nextStages(wanted, ids.length);
      const time = Date.now();
      for (const id of ids) this.#claimed.set(id, { kind, time });
      return ids;
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** The execution of a run, or of a stage, has begun. */
  begun(id: string): void {
    this.#claimed.delete(id);
  }

  /** True from the claim of a run, or of a stage, until its execution begins. */
  isBeginning(id: string): boolean {
    const claim = this.#claimed.get(id);
    return claim !== undefined && claim.time >= Date.now() - beginMs;
  }

  #room(kind: QueueKind): number {
    const overdue = Date.now() - beginMs;
    let claimed = 0;
    for (const [id, claim] of this.#claimed) {
      if (claim.time < overdue) this.#claimed.delete(id);
      else if (claim.kind === kind) claimed += 1;
    }
    return Math.max(0, this.#rules.room(kind) - claimed);
  }
}

/**
 * Stages that a worker takes at its next look. The first look takes one: others look as often, and get the next ones, so that a few
 * stages do not wait on one worker. As long as there are more, it takes them faster.
 */
function nextStages(wanted: number, taken: number): number {
  return wanted > 0 && taken === wanted ? Math.min(2 * wanted, mostStagesAtOnce) : 1;
}

const mostStagesAtOnce = 4;
/** Milliseconds after which a claim whose execution did not begin takes no room any more. */
const beginMs = 30_000;
