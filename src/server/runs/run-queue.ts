/** A run that waits for its turn. */
export interface QueuedRun {
  readonly id: string;
  /** `resume` if it has begun before. */
  readonly kind: 'start' | 'resume';
  /** Called when it is its turn. */
  readonly begin: () => void;
}

/** First come, first served (§9.5). */
export class RunQueue {
  #waiting = new Map<string, QueuedRun>();

  get length(): number {
    return this.#waiting.size;
  }

  get ids(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  has(id: string): boolean {
    return this.#waiting.has(id);
  }

  kindOf(id: string): QueuedRun['kind'] | undefined {
    return this.#waiting.get(id)?.kind;
  }

  /** Number of runs before it; undefined if it does not wait. */
  positionOf(id: string): number | undefined {
    if (!this.#waiting.has(id)) return undefined;
    return this.ids.indexOf(id);
  }

  add(run: QueuedRun): void {
    this.#waiting.set(run.id, run);
  }

  /** One that could not begin when it was its turn is the next again. */
  putBack(run: QueuedRun): void {
    this.#waiting = new Map([[run.id, run], ...this.#waiting]);
  }

  remove(id: string): QueuedRun | undefined {
    const run = this.#waiting.get(id);
    this.#waiting.delete(id);
    return run;
  }

  take(): QueuedRun | undefined {
    const [first] = this.#waiting.values();
    return first && this.remove(first.id);
  }
}
