/** Maximum of remembered clients; an address that was not seen for long has a full bucket anyway. */
const mostClients = 10_000;

export interface BucketLimits {
  /** Size of a bucket. */
  readonly atOnce: number;
  /** Amount that is added per second. */
  readonly perSecond: number;
}

/** Counts what clients do, each by its name, and says when one does too much of it. */
export class TokenBuckets {
  readonly #limits: BucketLimits;
  readonly #now: () => number;
  readonly #clients = new Map<string, { left: number; at: number }>();

  /** @param now milliseconds of a clock that only goes forward */
  constructor(limits: BucketLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Counts one more. @returns undefined where it is within the limits, else in how many whole seconds it would be */
  take(client: string): number | undefined {
    const bucket = this.#bucketOf(client);
    if (bucket.left >= 1) {
      bucket.left -= 1;
      return undefined;
    }
    return Math.max(1, Math.ceil((1 - bucket.left) / this.#limits.perSecond));
  }

  #bucketOf(client: string): { left: number; at: number } {
    const { atOnce, perSecond } = this.#limits;
    const now = this.#now();
    const known = this.#clients.get(client);
    if (known === undefined) {
      this.#forgetOne();
      const bucket = { left: atOnce, at: now };
      this.#clients.set(client, bucket);
      return bucket;
    }
    known.left = Math.min(atOnce, known.left + ((now - known.at) / 1000) * perSecond);
    known.at = now;
    return known;
  }

  /** Forgets the oldest client, so that many addresses do not fill the memory. */
  #forgetOne(): void {
    if (this.#clients.size < mostClients) return;
    const [first] = this.#clients.keys();
    if (first !== undefined) this.#clients.delete(first);
  }
}
