import type { Pool } from 'pg';
import { inTransaction } from './in-transaction.js';
import { machineOf, names, workerOf } from './names.js';
import { type ClaimedExecution, executed, type PutBack, putBack } from './put-back.js';
import { beatSeconds, deadSeconds } from './tables.js';

interface HeartbeatOptions {
  /** Connections that wait for an answer no longer than others wait for a sign of life. */
  readonly pool: Pool;
  /** Likewise, the one of the signs of life, which nothing else uses. */
  readonly ofBeats: Pool;
  readonly id: string;
  readonly labels: readonly string[];
  readonly maxRuns: number;
  readonly maxStages: number;
  /** Number of runs that the worker has now. */
  runs(): number;
  /** Number of stages of spread runs that it performs now. */
  stages(): number;
  /** True if an execution has begun here, or is about to. */
  isExecuted(id: string): boolean;
  /** Called with what a worker had that is gone. */
  onRecovered(workerId: string, found: PutBack): void;
  /** Called with what this worker had and did not execute. */
  onStranded(found: PutBack): void;
  /** Called when runs of another version come to wait, or no longer do, with a sentence about them. */
  onStrangers(sentence: string): void;
  /** Called when another worker has taken this one for dead: its runs continue elsewhere. */
  onTakenForDead(): void;
  onProblem(error: unknown): void;
  /** Called with the first sign of life after a problem. @param ms milliseconds for which there was none */
  onAnswer(ms: number): void;
}

/**
 * Signs of life of a worker, and its watch over the others: the runs of one that is gone go back to the queue (CLUSTER P1). A wrong
 * suspicion does no harm, because what a worker records is refused once another one has the run.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #timer: NodeJS.Timeout;
  #beating: Promise<void> | undefined;
  #watching: Promise<void> | undefined;
  /** Time of the last beat that came through, as `performance.now()` has it. */
  #lastBeat = performance.now();
  /** Number of beats without a failure in between. */
  #steadyBeats = 0;
  /** Time of the first problem since then. */
  #failingSince: number | undefined;
  /** Runs of other versions that wait, as it was said last. */
  #strangers = '';
  #isClosed = false;

  private constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#beating ??= this.#beat().finally(() => {
        this.#beating = undefined;
      });
    }, beatSeconds * 1000);
  }

  /** True if the last sign of life came through. */
  get isSteady(): boolean {
    return this.#steadyBeats > 0;
  }

  /** Registers the worker. */
  static async start(options: HeartbeatOptions): Promise<Heartbeat> {
    const { pool, id, labels, maxRuns, maxStages } = options;
    await pool.query(
      `insert into attractor.workers (id, host, pid, labels, max_runs, max_stages, runs, version)
       values ($1, $2, $3, $4, $5, $6, 0, $7)`,
      [id, machineOf(id), process.pid, labels, maxRuns, maxStages, names.version],
    );
    return new Heartbeat(options);
  }

  /** Says that the worker takes no more runs. */
  async leaving(): Promise<void> {
    const { pool, id, onProblem } = this.#options;
    const leave = `update attractor.workers set leaving = true where id = $1`;
    await pool.query(leave, [id]).catch(onProblem);
  }

  /** Gives what the worker still has back to the queue, and takes it off the list. Without database the others do so later. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all([this.#beating, this.#watching]);
    const { pool, id, onProblem } = this.#options;
    try {
      await putBack(pool, id);
      await pool.query(`delete from attractor.workers where id = $1`, [id]);
    } catch (error) {
      onProblem(error);
    }
  }

  /** Ends the signs of life. */
  stop(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  async #beat(): Promise<void> {
    const { ofBeats, id, runs, stages, onTakenForDead } = this.#options;
    try {
      const { rowCount } = await ofBeats.query(
        `update attractor.workers set beat = now(), runs = $2, stages = $3,
           steady = case when beat < now() - make_interval(secs => $4) then now() else steady end
         where id = $1`,
        [id, runs(), stages(), deadSeconds],
      );
      if (this.#isClosed) return;
      if (rowCount === 0) return onTakenForDead();
      this.#noteAnswer();
      // After a time without database, or one in which this process stood still, all signs of life are old: everyone gets as long as
      // a silent worker.
      const pause = performance.now() - this.#lastBeat;
      this.#lastBeat += pause;
      this.#steadyBeats = pause < deadSeconds * 1000 ? this.#steadyBeats + 1 : 0;
      if (this.#steadyBeats * beatSeconds < deadSeconds) return;
      // Whatever it waits for, the next sign of life does not.
      this.#watching ??= this.#watch(this.#steadyBeats % deadSeconds === 0).finally(() => {
        this.#watching = undefined;
      });
    } catch (error) {
      this.#meet(error);
    }
  }

  /** @param isThorough true if it also looks for what no worker has */
  async #watch(isThorough: boolean): Promise<void> {
    try {
      await this.#reap();
      if (!isThorough) return;
      await this.#collect();
      await this.#collectStranded();
      await this.#lookForStrangers();
    } catch (error) {
      this.#meet(error);
    }
  }

  #meet(error: unknown): void {
    this.#steadyBeats = 0;
    if (this.#failingSince !== undefined || this.#isClosed) return;
    this.#failingSince = performance.now();
    this.#options.onProblem(error);
  }

  #noteAnswer(): void {
    if (this.#failingSince === undefined) return;
    this.#options.onAnswer(performance.now() - this.#failingSince);
    this.#failingSince = undefined;
  }

  /** Takes over from workers that are gone, one at a time, so that two workers share the work. */
  async #reap(): Promise<void> {
    const { pool, id, onRecovered } = this.#options;
    await inTransaction(pool, async (client) => {
      // Runs of another version can only be recovered by a worker of that version.
      const { rows } = await client.query<{ id: string }>(
        `select id from attractor.workers
         where beat < now() - make_interval(secs => $1) and id <> $2 and version = $3
         for update skip locked`,
        [deadSeconds, id, names.version],
      );
      for (const dead of rows) {
        const found = await putBack(pool, dead.id);
        await client.query(`delete from attractor.workers where id = $1`, [dead.id]);
        onRecovered(dead.id, found);
      }
    });
  }

  /** Takes over what nobody has: a worker that was taken for dead may have taken a run before it noticed. */
  async #collect(): Promise<void> {
    const { pool, onRecovered } = this.#options;
    const { rows } = await pool.query<{ id: string }>(
      `select distinct executor_id as id from dbos.workflow_status
       where status = 'PENDING' and name = any($1) and application_version = $2
         and executor_id not in (select id from attractor.workers)`,
      [executed, names.version],
    );
    for (const { id } of rows) onRecovered(id, await putBack(pool, id));
  }

  /**
   * Puts back what this worker has in the database and does not execute: the end of its execution could not be recorded, or it never
   * began after the claim.
   */
  async #collectStranded(): Promise<void> {
    const { pool, id, isExecuted, onStranded } = this.#options;
    const { rows } = await pool.query<ClaimedExecution>(
      `select workflow_uuid as id, owner_xid as token from dbos.workflow_status
       where status = 'PENDING' and executor_id = $1 and name = any($2)
         and updated_at < (extract(epoch from now()) - $3) * 1000`,
      [id, executed, deadSeconds],
    );
    const stranded = rows.filter((row) => !isExecuted(row.id));
    if (stranded.length > 0 && !this.#isClosed) onStranded(await putBack(pool, id, stranded));
  }

  /** Says which runs no worker of this version may take. */
  async #lookForStrangers(): Promise<void> {
    const { rows } = await this.#options.pool.query<{ version: string; runs: number }>(
      `select application_version as version, count(*)::int as runs from dbos.workflow_status
       where status in ('ENQUEUED', 'PENDING') and name = $1 and application_version <> $2
         and application_version not in
           (select version from attractor.workers where beat > now() - make_interval(secs => $3))
       group by 1 order by 1`,
      [names.workflow, names.version, deadSeconds],
    );
    const waiting = rows.map(({ version, runs }) => `${runs} wait for ${workerOf(version)}`).join(', ');
    if (waiting === this.#strangers) return;
    this.#strangers = waiting;
    const sentence = waiting === '' ? 'no run waits for a worker of another version any more' : waiting;
    this.#options.onStrangers(`runs of another version: ${sentence}; this one is ${names.version}`);
  }
}
