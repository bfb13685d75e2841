import { untilAborted } from '../abort/abort.js';
import { stoppable } from '../abort/stoppable.js';
import type { RunEvent } from '../machine/event.js';
import { RunError } from '../run-directory/run-error.js';
import { JournalReplay } from './journal-replay.js';
import { ownTurn } from './own-turn.js';

/** Range of the events to read. */
export interface EventsOptions {
  /**
   * `seq` of the first event; by default the first of this execution, or of the run for a follower in
   * another process.
   */
  readonly from?: number;
  /** Aborting it ends the iteration. */
  readonly signal?: AbortSignal;
}

/** End of a feed: the run is over, an error broke it off, or there is no run. */
export type FeedEnd =
  | { readonly kind: 'over' }
  | { readonly kind: 'broken'; readonly error: unknown }
  | { readonly kind: 'no_run' };

/** Number of the latest events that are kept in memory, for consumers that keep up. */
const keptEvents = 256;

/**
 * Events of a run that this process executes, for any number of consumers (§9.6). The run never waits for
 * them: it only leaves its latest events here, and a slower consumer reads older ones from the journal, so
 * that neither a slow consumer nor a long run takes more memory.
 */
export class EventFeed {
  readonly #journal: string;
  /** Ring buffer: event n is at index n modulo its length. */
  readonly #latest: RunEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #first: number | undefined;
  #last = 0;
  #end: FeedEnd | undefined;

  /** @param journal file to which every event is written before it is pushed here */
  constructor(journal: string) {
    this.#journal = journal;
  }

  /** Number of events in the buffer, independent of the number of consumers. */
  get size(): number {
    return this.#latest.filter(() => true).length;
  }

  /** Number of consumers that wait for an event. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** @param event must follow the last one */
  push(event: RunEvent): void {
    this.#first ??= event.seq;
    this.#last = event.seq;
    this.#latest[event.seq % keptEvents] = event;
    this.#wake();
  }

  end(end: FeedEnd): void {
    this.#end ??= end;
    this.#wake();
  }

  /**
   * Yields every event exactly once and in order, until the run is over for this process.
   * @throws the error that broke the run off, after all events before it; RunError `run_damaged` or
   * `storage` where the journal cannot be read
   */
  events({ from, signal }: EventsOptions = {}): AsyncIterableIterator<RunEvent> {
    return stoppable((stopped) => this.#follow(from, stopped), signal);
  }

  async *#follow(from: number | undefined, stopped: AbortSignal): AsyncGenerator<RunEvent> {
    const replay = new JournalReplay(this.#journal);
    let next = from === undefined ? undefined : Math.max(1, from);
    while (!stopped.aborted) {
      next ??= this.#first;
      const last = this.#lastReadable();
      if (next !== undefined && next <= last) {
        const batch = await this.#read(replay, { next, last, stopped });
        for (const event of batch) {
          if (stopped.aborted) return;
          next = event.seq + 1;
          yield event;
        }
        if (batch.length === 0) return;
      } else if (this.#end === undefined) {
        await this.#news(stopped);
      } else if (this.#end.kind === 'broken') {
        throw this.#end.error;
      } else {
        return;
      }
    }
  }

  /**
   * Number of the last event that may be read. Events in the journal that were not pushed may not be
   * durable; if none was pushed and the run is over, all of them were written by earlier executions.
   */
  #lastReadable(): number {
    if (this.#first !== undefined) return this.#last;
    return this.#end?.kind === 'over' ? Number.POSITIVE_INFINITY : 0;
  }

  /** @returns no events where the journal ends, or where nobody wants more */
  async #read(
    replay: JournalReplay,
    { next, last, stopped }: { readonly next: number; readonly last: number; readonly stopped: AbortSignal },
  ): Promise<readonly RunEvent[]> {
    const kept = this.#latest[next % keptEvents];
    if (kept?.seq === next) return [kept];
    while (!stopped.aborted) {
      // The run, and other readers, have their turns in between.
      await ownTurn();
      const batch = replay.read(next, last);
      if (batch === undefined) break;
      if (batch.length > 0) return batch;
    }
    if (stopped.aborted || last === Number.POSITIVE_INFINITY) return [];
    throw new RunError(
      'storage',
      `event ${next} of the run cannot be read: the journal ${this.#journal} ends before it`,
    );
  }

  async #news(stopped: AbortSignal): Promise<void> {
    let wake = (): void => undefined;
    const news = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.add(wake);
    await untilAborted(news, stopped);
    this.#waiting.delete(wake);
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
