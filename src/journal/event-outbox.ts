import type { RunEvent } from '../machine/event.js';
import type { EventLog } from '../run-directory/run-store.js';

/**
 * Events of a run between decision and publication: they are written first, and flushed if something
 * depends on it (DESIGN §4). The driver publishes them.
 */
export class EventOutbox {
  readonly #journal: EventLog;
  /** Decided, and not yet in the journal. */
  #unwritten: RunEvent[] = [];
  /** Events in the journal that are not yet published. */
  #untold: RunEvent[] = [];
  #hasUnsynced = false;

  constructor(journal: EventLog) {
    this.#journal = journal;
  }

  /** Number of events that are not yet in the journal. */
  get unwritten(): number {
    return this.#unwritten.length;
  }

  /** Number of events in the journal that are not yet published. */
  get untold(): number {
    return this.#untold.length;
  }

  /** True if anything may not yet be on the disk. */
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

  /** Writes all events; returns when they are on the disk. */
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

  /**
   * Returns when everything written is on the disk, including events written after a flush that is still
   * under way.
   */
  sync(): void {
    this.#journal.sync();
    this.#hasUnsynced = false;
  }

  /** Writes all events; resolves when they are on the disk. Events written meanwhile need another flush. */
  writeSoon(): Promise<void> {
    this.write();
    this.#hasUnsynced = false;
    return this.#journal.syncSoon();
  }

  /** Takes the events in the journal that are not yet published. */
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
