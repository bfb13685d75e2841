import type { RunEvent } from '../machine/event.js';
import type { EventLog } from '../run-directory/run-store.js';

/**
 * The events of a run between the decision and those who are told: they are written first, and flushed where something
 * depends on it (DESIGN §4). Who is told in the end, the driver knows.
 */
export class EventOutbox {
  readonly #journal: EventLog;
  /** Decided, and not yet in the journal. */
  #unwritten: RunEvent[] = [];
  /** In the journal, and not yet told. */
  #untold: RunEvent[] = [];
  #hasUnsynced = false;

  constructor(journal: EventLog) {
    this.#journal = journal;
  }

  /** How many events are not yet in the journal. */
  get unwritten(): number {
    return this.#unwritten.length;
  }

  /** How many are in the journal that nobody has been told. */
  get untold(): number {
    return this.#untold.length;
  }

  /** Whether there is anything that is not known to be on the disk. */
  get isUnsafe(): boolean {
    return this.#hasUnsynced || this.#unwritten.length > 0;
  }

  add(event: RunEvent): void {
    this.#unwritten.push(event);
  }

  write(): void {
    if (this.#unwritten.length === 0) return;
    const events = this.#takeUnwritten();
    this.#journal.append(events);
    this.#hasUnsynced = true;
    this.#toTell(events);
  }

  /** Afterwards all of it is on the disk. */
  writeDurably(): void {
    if (this.#unwritten.length === 0) {
      if (this.#hasUnsynced) this.sync();
      return;
    }
    const events = this.#takeUnwritten();
    this.#journal.appendDurably(events);
    this.#hasUnsynced = false;
    this.#toTell(events);
  }

  /** Afterwards all that was written is on the disk, also what a flush that is under way began without. */
  sync(): void {
    this.#journal.sync();
    this.#hasUnsynced = false;
  }

  /** Writes all of it; resolves when it is on the disk. What is written meanwhile needs a flush of its own. */
  writeSoon(): Promise<void> {
    this.write();
    this.#hasUnsynced = false;
    return this.#journal.syncSoon();
  }

  /** What is in the journal and was not told yet, to be told now. */
  takeUntold(): readonly RunEvent[] {
    const events = this.#untold;
    this.#untold = [];
    return events;
  }

  #takeUnwritten(): RunEvent[] {
    const events = this.#unwritten;
    this.#unwritten = [];
    return events;
  }

  #toTell(events: RunEvent[]): void {
    if (this.#untold.length === 0) this.#untold = events;
    else for (const event of events) this.#untold.push(event);
  }
}
