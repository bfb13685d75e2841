import type { RunEvent } from '../machine/event.js';
import { JournalLines } from './journal.js';
import { JournalTail } from './journal-tail.js';

/** Limits of a batch; the first that is reached ends it. */
const batchEvents = 256;
const batchSize = 256 * 1024;

/** Reads the events of a journal forward, a batch at a time, while others may be writing it. */
export class JournalReplay {
  readonly #tail: JournalTail;
  readonly #lines: JournalLines;
  #line = 0;

  constructor(file: string) {
    this.#lines = new JournalLines(file);
    this.#tail = new JournalTail(file);
  }

  /**
   * Next batch of events from one number to another; none after the end of the journal.
   * @param from not below what was read before
   * @throws RunError `run_damaged`
   */
  read(from: number, to: number): readonly RunEvent[] {
    const events: RunEvent[] = [];
    let size = 0;
    for (const text of this.#tail.read()) {
      this.#line += 1;
      if (this.#line < from) {
        this.#lines.skip(text);
        continue;
      }
      events.push(this.#lines.read(text));
      size += text.length;
      if (this.#line >= to || events.length >= batchEvents || size >= batchSize) break;
    }
    return events;
  }
}
