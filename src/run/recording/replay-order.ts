import { abortWith } from '../../abort/abort.js';

const year = 365 * 24 * 3_600_000;

/** Milliseconds of a thousand years, longer than anything that a pipeline waits for. */
export const forAges = 1000 * year;

/** Milliseconds until others will not come: shorter, because what waits to be stopped may wait for an outcome. */
const tooLong = 500 * year;

/** Orders the outcomes of parallel branches as in the recorded run. */
export class ReplayOrder {
  readonly #order: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #passed = new Set<string>();
  readonly #waiting = new Map<string, () => void>();
  #next = 0;
  #isOpen = false;

  /** @param order keys of the attempts in branches, by their outcomes */
  constructor(order: readonly string[]) {
    this.#order = order;
    this.#known = new Set(this.#order);
  }

  /**
   * Resolves when all attempts before have passed.
   * @param sleep of the replay's clock: if those never come, nothing else is left to wait for
   */
  async pass(
    key: string,
    signal: AbortSignal,
    sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    if (this.#known.has(key) && !this.#isOpen && this.#order[this.#next] !== key)
      await this.#wait(key, signal, sleep);
    this.settled(key);
  }

  /** Call for each attempt that has an outcome: not all of them need to wait for their turn. */
  settled(key: string): void {
    this.#passed.add(key);
    this.#advance();
  }

  /** Ends all waits, now and later. */
  open(): void {
    this.#isOpen = true;
    for (const go of this.#waiting.values()) go();
  }

  async #wait(
    key: string,
    signal: AbortSignal,
    sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const cancelled = new AbortController();
    const turn = new Promise<void>((resolve) => this.#waiting.set(key, resolve));
    const release = abortWith(cancelled, signal);
    const inVain = sleep(tooLong, cancelled.signal).then(
      () => this.open(),
      () => undefined,
    );
    await Promise.race([turn, inVain]);
    release();
    cancelled.abort();
    this.#waiting.delete(key);
  }

  #advance(): void {
    while (this.#passed.has(this.#order[this.#next] ?? '')) this.#next += 1;
    this.#waiting.get(this.#order[this.#next] ?? '')?.();
  }
}
