/** Nobody waits that long but for something that does not come, however busy the machine is. */
const patienceMs = 50_000;

/**
 * Lets what runs side by side end in the order of an earlier run. Who is faster is an input of a run, like time and
 * randomness (DESIGN §1.6): two runs can only be the same where it is.
 */
export class Turnstile {
  /** What has passed, in order. */
  readonly passed: string[] = [];
  readonly #order: string[] | undefined;
  readonly #waiting = new Map<string, () => void>();

  /** @param order without it, everybody passes at once; who is not in it never does */
  constructor(order?: readonly string[]) {
    this.#order = order === undefined ? undefined : [...order];
  }

  /** Resolves when it is the turn of a key; rejects when the signal is aborted. */
  async pass(key: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#order !== undefined && this.#order[0] !== key) await this.#turnOf(key, signal);
    this.passed.push(key);
    this.#order?.shift();
    const next = this.#order?.[0];
    if (next !== undefined) this.#waiting.get(next)?.();
  }

  #turnOf(key: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (error: unknown): void => {
        clearTimeout(timer);
        this.#waiting.delete(key);
        reject(error);
      };
      const timer = setTimeout(() => stop(new Error(`the turn of ${key} never came`)), patienceMs);
      signal.addEventListener('abort', () => stop(signal.reason), { once: true });
      this.#waiting.set(key, () => {
        clearTimeout(timer);
        this.#waiting.delete(key);
        resolve();
      });
    });
  }
}
