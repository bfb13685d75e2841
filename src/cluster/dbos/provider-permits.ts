import type { Pool } from 'pg';
import { unlessAborted } from '../../abort/abort.js';
import { type Permit, type Permits, runsAgain } from '../limits/permits.js';
import { patiently } from './patiently.js';

/** Milliseconds between two looks at the limits. */
const limitsMs = 2000;
/** Milliseconds between two looks at who has a permit, while somebody waits here. */
const lookMs = 250;

/**
 * Permits of a worker, as they stand in the database, which gives them out in the order of the questions (`permit-tables.ts`). Those of a worker
 * that is gone are free. Without a limit nothing is asked; a stage that waits takes no connection.
 */
export class ProviderPermits implements Permits {
  readonly #pool: Pool;
  readonly #worker: string;
  #limited: ReadonlySet<string> = new Set();
  /** Those who wait, by the number of their question. */
  readonly #waiting = new Map<string, () => void>();
  /** Names of those who wait or have a permit. */
  readonly #held = new Set<string>();
  readonly #limitsTimer: NodeJS.Timeout;
  #lookTimer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  static async start(pool: Pool, worker: string): Promise<ProviderPermits> {
    const permits = new ProviderPermits(pool, worker);
    try {
      await permits.#readLimits();
    } catch (error) {
      permits.close();
      throw error;
    }
    return permits;
  }

  private constructor(pool: Pool, worker: string) {
    this.#pool = pool;
    this.#worker = worker;
    // A database that is away is asked again later.
    this.#limitsTimer = setInterval(() => void this.#readLimits().catch(() => undefined), limitsMs);
  }

  isLimited(provider: string): boolean {
    return this.#limited.has(provider);
  }

  async acquire(provider: string, holder: string, signal: AbortSignal): Promise<Permit> {
    const name = this.#nameFor(provider, holder);
    const asked = this.#ask(provider, name);
    try {
      const { id, has } = await unlessAborted(asked, signal);
      if (!has) await this.#wait(id, signal);
      return { release: (keepsPlace = false) => this.#release(provider, name, id, keepsPlace) };
    } catch (error) {
      asked
        .then(({ id }) => this.#release(provider, name, id, runsAgain(signal)))
        .catch(() => this.#held.delete(`${provider} ${name}`));
      throw error;
    }
  }

  close(): void {
    clearInterval(this.#limitsTimer);
    clearTimeout(this.#lookTimer);
    this.#waiting.clear();
  }

  async #readLimits(): Promise<void> {
    const { rows } = await this.#pool.query<{ provider: string }>('select provider from attractor.limits');
    this.#limited = new Set(rows.map(({ provider }) => provider));
  }

  /** Name of a holder; another one for a second call of the same attempt at the same time. */
  #nameFor(provider: string, holder: string): string {
    let name = holder;
    while (this.#held.has(`${provider} ${name}`)) name = `${name}+`;
    this.#held.add(`${provider} ${name}`);
    return name;
  }

  async #ask(provider: string, holder: string): Promise<Asked> {
    const query = 'select id, has from attractor.ask_permit($1, $2, $3)';
    const { rows } = await patiently(() => this.#pool.query<Asked>(query, [provider, holder, this.#worker]));
    const [row] = rows;
    if (row === undefined) throw new Error('the database does not say if there is a permit');
    return row;
  }

  async #wait(id: string, signal: AbortSignal): Promise<void> {
    const begun = new Promise<void>((resolve) => this.#waiting.set(id, resolve));
    this.#lookLater();
    await unlessAborted(begun, signal).finally(() => this.#waiting.delete(id));
  }

  #release(provider: string, holder: string, id: string, keepsPlace: boolean): void {
    this.#held.delete(`${provider} ${holder}`);
    const end = 'select attractor.end_permit($1, $2, $3)';
    // If the database refuses, the permit is free when this worker has gone. Somebody else here may have it now.
    patiently(() => this.#pool.query(end, [provider, id, keepsPlace]))
      .catch(() => undefined)
      .then(() => this.#look());
  }

  #lookLater(): void {
    if (this.#waiting.size === 0) return;
    this.#lookTimer ??= setTimeout(() => {
      this.#lookTimer = undefined;
      this.#look();
    }, lookMs);
  }

  #look(): void {
    if (this.#waiting.size === 0) return;
    this.#looking ??= this.#findBegun().finally(() => {
      this.#looking = undefined;
      this.#lookLater();
    });
  }

  async #findBegun(): Promise<void> {
    try {
      const { rows } = await this.#pool.query<{ id: string }>(
        'select id from attractor.begun_permits($1) as id',
        [this.#worker],
      );
      for (const { id } of rows) this.#waiting.get(id)?.();
    } catch {
      // The next look finds them.
    }
  }
}

/** A question for a permit: its number, and whether it is granted at once. */
interface Asked {
  readonly id: string;
  readonly has: boolean;
}
