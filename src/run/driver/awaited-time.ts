import { unlessAborted } from '../../abort/abort.js';
import type { Clock } from './clock.js';

/** Time in which a stage waits for people, or for its turn, which does not count against its `timeout` (SEMANTICS 129). */
export class AwaitedTime {
  readonly #now: () => number;
  /** Milliseconds of all waits that have ended. */
  #past = 0;
  #since = 0;
  #open = 0;
  #ended: Promise<void> = Promise.resolve();
  #end: () => void = () => undefined;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds until now in which it waited for at least one thing. */
  get total(): number {
    return this.#past + (this.#open === 0 ? 0 : this.#now() - this.#since);
  }

  /** Resolves when it waits for nothing. */
  get over(): Promise<void> {
    return this.#ended;
  }

  /** Counts the time of a wait. */
  async during<Result>(wait: Promise<Result>): Promise<Result> {
    this.#begin();
    try {
      return await wait;
    } finally {
      this.#finish();
    }
  }

  #begin(): void {
    this.#open += 1;
    if (this.#open > 1) return;
    this.#since = this.#now();
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  #finish(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    this.#past += this.#now() - this.#since;
    this.#end();
  }
}

/**
 * Waits until a stage has worked for so many milliseconds, without the time in which it waited.
 * @throws the reason of the signal
 */
export async function untilWorked(
  milliseconds: number,
  stage: { readonly awaited: AwaitedTime | undefined },
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const began = clock.now();
  let counted = 0;
  for (let left = milliseconds; ; ) {
    await clock.sleep(left, signal);
    const { awaited } = stage;
    if (awaited === undefined) return;
    await unlessAborted(awaited.over, signal);
    left = milliseconds - (clock.now() - began - awaited.total);
    if (left <= 0 || awaited.total === counted) return;
    counted = awaited.total;
  }
}
