/** Sleeper until a certain time. */
export interface WakeUp {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Order among sleepers with the same time: the smaller one first, then the earlier one. */
  readonly rank: number;
  readonly wake: () => void;
}

interface Entry {
  readonly wakeUp: WakeUp;
  readonly ordinal: number;
  place: number;
}

/**
 * Queue of sleepers, the first to wake in front: a binary heap, so that thousands of branches may sleep at
 * once.
 */
export class WakeUpQueue {
  readonly #heap: Entry[] = [];
  #added = 0;

  get next(): WakeUp | undefined {
    return this.#heap[0]?.wakeUp;
  }

  /** @returns a function that removes it; it does nothing if it is no longer in the queue */
  add(wakeUp: WakeUp): () => void {
    const entry = { wakeUp, ordinal: this.#added, place: this.#heap.length };
    this.#added += 1;
    this.#heap.push(entry);
    this.#rise(entry);
    return () => this.#remove(entry);
  }

  take(): WakeUp | undefined {
    const first = this.#heap[0];
    if (first !== undefined) this.#remove(first);
    return first?.wakeUp;
  }

  #remove(entry: Entry): void {
    const { place } = entry;
    if (this.#heap[place] !== entry) return;
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#put(last, place);
    this.#rise(last);
    this.#sink(last);
  }

  #put(entry: Entry, place: number): void {
    this.#heap[place] = entry;
    entry.place = place;
  }

  #rise(entry: Entry): void {
    while (entry.place > 0) {
      const { place } = entry;
      const above = this.#heap[(place - 1) >> 1];
      if (above === undefined || !isBefore(entry, above)) return;
      this.#put(entry, above.place);
      this.#put(above, place);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const { place } = entry;
      const [left, right] = [this.#heap[2 * place + 1], this.#heap[2 * place + 2]];
      const below = left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
      if (below === undefined || !isBefore(below, entry)) return;
      this.#put(entry, below.place);
      this.#put(below, place);
    }
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  const byTime = one.wakeUp.at - other.wakeUp.at || one.wakeUp.rank - other.wakeUp.rank;
  return (byTime || one.ordinal - other.ordinal) < 0;
}
