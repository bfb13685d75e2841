import type { RunEvent } from '../machine/event.js';
import { JournalLines } from './journal.js';
import { JournalTail } from './journal-tail.js';
import { turnLength } from './own-turn.js';

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
   * Next events from one number to another, as many as are the work of one turn; empty while they all lie before the first,
   * and undefined after the end of the journal.
   * @param from not below what was read before
   * @throws RunError `run_damaged`
   */
  read(from: number, to: number): readonly RunEvent[] | undefined {
    const events: RunEvent[] = [];
    let length = 0;
    for (const text of this.#tail.read()) {
      this.#line += 1;
      length += text.length;
      if (this.#line < from) this.#lines.skip(text);
      else events.push(this.#lines.read(text));
      if (this.#line >= to || length >= turnLength) break;
    }
    return length === 0 ? undefined : events;
  }
}
