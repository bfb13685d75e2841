import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { journalText } from '../../journal/journal.js';
import type { RunEvent } from '../../machine/event.js';
import { writeFileAtomically } from '../../run-directory/durable-file.js';
import { nodeFileSystem } from '../../run-directory/file-system.js';

/**
 * Journal of a run in a directory, from its history. Several processes may keep the same copy up to date: the events give the same
 * bytes to all of them, and each byte has its place, so that it does not matter who writes it, nor how often.
 */
export class JournalCopy {
  readonly #file: string;
  #first: RunEvent | undefined;
  #count = 0;
  #size = 0;
  #hash = '';

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Writes what is new.
   * @param events all events so far
   * @returns true if there was something
   */
  write(events: readonly RunEvent[]): boolean {
    if (this.#count > 0 && events[0] === this.#first) {
      if (events.length === this.#count) return false;
      const { text, hash } = journalText(events.slice(this.#count), this.#hash);
      this.#hash = hash;
      this.#put(Buffer.from(text));
    } else {
      // The first time, or where a stage that is visited again has started another child in the place of an earlier one.
      const { text, hash } = journalText(events);
      this.#hash = hash;
      this.#size = 0;
      this.#begin(Buffer.from(text));
    }
    this.#first = events[0];
    this.#count = events.length;
    return true;
  }

  #begin(whole: Buffer): void {
    const present = nodeFileSystem.exists(this.#file) ? nodeFileSystem.readFile(this.#file) : undefined;
    const shared = Math.min(present?.length ?? 0, whole.length);
    if (present?.subarray(0, shared).equals(whole.subarray(0, shared))) {
      this.#size = shared;
      this.#put(whole.subarray(shared));
    } else {
      this.#size = writeFileAtomically(this.#file, whole.toString('utf8'));
    }
  }

  #put(bytes: Buffer): void {
    const descriptor = openSync(this.#file, constants.O_WRONLY | constants.O_NOFOLLOW);
    try {
      for (let written = 0; written < bytes.length; )
        written += writeSync(descriptor, bytes, written, bytes.length - written, this.#size + written);
      this.#size += bytes.length;
    } finally {
      closeSync(descriptor);
    }
  }
}
