import type { RunEvent } from '../machine/event.js';
import type { EventLog } from '../run-directory/run-store.js';
import type { Journal, JournalEnd } from './journal.js';

/**
 * Journal of a run that is also kept elsewhere, and of which the file is still being written: what is appended by then waits in memory.
 * If the file cannot be had, it is not written: whoever writes it says so.
 */
export class LateJournal implements EventLog {
  /** Resolves when the file has everything that was appended, or never will. */
  readonly settled: Promise<void>;
  readonly #checkOwner: () => void;
  #journal: Journal | undefined;
  #waiting: RunEvent[] = [];
  #isClosed = false;
  #isLost = false;
  #problem: { readonly cause: unknown } | undefined;

  /**
   * @param end of the file, once it is there
   * @param checkOwner throws where this process may no longer write
   */
  constructor(end: Promise<JournalEnd>, open: (end: JournalEnd) => Journal, checkOwner: () => void) {
    this.#checkOwner = checkOwner;
    this.settled = end.then(
      (found) => this.#arrived(found, open),
      () => this.#lose(),
    );
  }

  get size(): number {
    return this.#journal?.size ?? 0;
  }

  get writtenAt(): number {
    return this.#journal?.writtenAt ?? 0;
  }

  append(events: readonly RunEvent[]): void {
    if (this.#journal !== undefined) return this.#journal.append(events);
    this.#checkOwner();
    if (this.#problem !== undefined) throw this.#problem.cause;
    if (!this.#isLost) for (const event of events) this.#waiting.push(event);
  }

  appendDurably(events: readonly RunEvent[]): void {
    if (this.#journal !== undefined) this.#journal.appendDurably(events);
    else this.append(events);
  }

  sync(): void {
    this.#journal?.sync();
  }

  async syncSoon(): Promise<void> {
    await this.#journal?.syncSoon();
  }

  close(): void {
    this.#isClosed = true;
    this.#journal?.close();
  }

  #arrived(end: JournalEnd, open: (end: JournalEnd) => Journal): void {
    const events = this.#waiting;
    this.#waiting = [];
    if (this.#isClosed && events.length === 0) return;
    try {
      const journal = open(end);
      try {
        if (events.length > 0) journal.append(events);
      } finally {
        if (this.#isClosed) journal.close();
      }
      this.#journal = journal;
    } catch (cause) {
      this.#problem = { cause };
    }
  }

  #lose(): void {
    this.#isLost = true;
    this.#waiting = [];
  }
}
