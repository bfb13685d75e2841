import { setImmediate as nextTurn } from 'node:timers/promises';
import { untilAborted } from '../abort/abort.js';
import { stoppable } from '../abort/stoppable.js';
import type { RunEvent } from '../machine/event.js';
import { RunError } from '../run-directory/run-error.js';
import { JournalReplay } from './journal-replay.js';

/** What part of the events of a run somebody wants. */
export interface EventsOptions {
  /** The `seq` of the first event; by default the first of this execution, or of the run where it is followed from outside. */
  readonly from?: number;
  /** Aborting it ends the iteration. */
  readonly signal?: AbortSignal;
}

/** How a feed ends: with the run, with the error that broke it off, or with nothing, because there is no run. */
export type FeedEnd =
  | { readonly kind: 'over' }
  | { readonly kind: 'broken'; readonly error: unknown }
  | { readonly kind: 'no_run' };

/** How many of the latest events are kept for those who keep up. */
const keptEvents = 256;

/**
 * The events of a run that this process executes, for any number of consumers (§9.6). The run never waits for them: it
 * only leaves its latest events here, and whoever has fallen behind these reads on in the journal, so that neither a slow
 * consumer nor a long run takes more memory.
 */
export class EventFeed {
  readonly #journal: string;
  /** The event with the number n at n modulo its length. */
  readonly #latest: RunEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #first: number | undefined;
  #last = 0;
  #end: FeedEnd | undefined;

  /** @param journal the file that every event is in before it comes here */
  constructor(journal: string) {
    this.#journal = journal;
  }

  /** How many events it holds, however many consumers there are. */
  get size(): number {
    return this.#latest.filter(() => true).length;
  }

  /** How many consumers wait for an event. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** @param event the one after the last */
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
   * Every event exactly once and in order, until the run is over for this process.
   * @throws what broke the run off, when all events before have been given; RunError `run_damaged` or `storage` where
   * the journal cannot be read
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
        const batch = await this.#read(replay, next, last);
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

  /** What is in the journal and not yet here may not be durable; where nothing came, all that is in it is of old. */
  #lastReadable(): number {
    if (this.#first !== undefined) return this.#last;
    return this.#end?.kind === 'over' ? Number.POSITIVE_INFINITY : 0;
  }

  async #read(replay: JournalReplay, next: number, last: number): Promise<readonly RunEvent[]> {
    const kept = this.#latest[next % keptEvents];
    if (kept?.seq === next) return [kept];
    // The run, and others who read, have their turns in between.
    await nextTurn();
    const batch = replay.read(next, last);
    if (batch.length > 0 || last === Number.POSITIVE_INFINITY) return batch;
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
