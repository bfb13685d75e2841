import { hostname } from 'node:os';
import type { Pool } from 'pg';
import { names } from './names.js';
import { beatSeconds, deadSeconds } from './tables.js';

interface HeartbeatOptions {
  readonly pool: Pool;
  readonly id: string;
  readonly labels: readonly string[];
  readonly maxRuns: number;
  /** Number of runs that the worker has now. */
  runs(): number;
  /** Gives the runs of a worker that is gone back to the queue. @returns their number */
  recover(workerId: string): Promise<number>;
  onRecovered(workerId: string, runs: number): void;
  /** Called when another worker has taken this one for dead: its runs continue elsewhere. */
  onTakenForDead(): void;
  onProblem(error: unknown): void;
}

/**
 * Signs of life of a worker, and its watch over the others: the runs of one that is gone go back to the queue (CLUSTER P1). A wrong
 * suspicion does no harm, because what a worker records is refused once another one has the run.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #timer: NodeJS.Timeout;
  #beating: Promise<void> | undefined;
  /** Number of beats without a failure in between. */
  #steadyBeats = 0;
  #isClosed = false;

  private constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#beating ??= this.#beat().finally(() => {
        this.#beating = undefined;
      });
    }, beatSeconds * 1000);
  }

  /** Registers the worker. */
  static async start(options: HeartbeatOptions): Promise<Heartbeat> {
    const { pool, id, labels, maxRuns } = options;
    await pool.query(
      `insert into attractor.workers (id, host, pid, labels, max_runs, runs, version) values ($1, $2, $3, $4, $5, 0, $6)`,
      [id, hostname(), process.pid, labels, maxRuns, names.version],
    );
    return new Heartbeat(options);
  }

  /** Says that the worker takes no more runs. */
  async leaving(): Promise<void> {
    await this.#options.pool.query(`update attractor.workers set leaving = true where id = $1`, [
      this.#options.id,
    ]);
  }

  /** Gives what the worker still has back to the queue, and takes it off the list. */
  async close(): Promise<void> {
    this.stop();
    await this.#beating;
    const { pool, id, recover } = this.#options;
    await recover(id);
    await pool.query(`delete from attractor.workers where id = $1`, [id]);
  }

  /** Ends the signs of life. */
  stop(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  async #beat(): Promise<void> {
    const { pool, id, runs, onTakenForDead, onProblem } = this.#options;
    try {
      const beat = `update attractor.workers set beat = now(), runs = $2 where id = $1`;
      const { rowCount } = await pool.query(beat, [id, runs()]);
      if (this.#isClosed) return;
      if (rowCount === 0) return onTakenForDead();
      this.#steadyBeats += 1;
      // After a time without database all signs of life are old: everyone gets as long as a silent worker.
      if (this.#steadyBeats * beatSeconds >= deadSeconds) await this.#reap();
    } catch (error) {
      if (this.#steadyBeats > 0) onProblem(error);
      this.#steadyBeats = 0;
    }
  }

  /** Takes over from workers that are gone, one at a time, so that two workers share the work. */
  async #reap(): Promise<void> {
    const { pool, id, recover, onRecovered } = this.#options;
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query<{ id: string }>(
        `select id from attractor.workers
         where beat < now() - make_interval(secs => $1) and id <> $2
         for update skip locked`,
        [deadSeconds, id],
      );
      for (const dead of rows) {
        const count = await recover(dead.id);
        await client.query(`delete from attractor.workers where id = $1`, [dead.id]);
        onRecovered(dead.id, count);
      }
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }
}
