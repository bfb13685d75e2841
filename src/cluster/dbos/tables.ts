import type { Pool } from 'pg';

/** Tables that DBOS does not have; everything about runs is in its own. */
export const migration = `
create schema if not exists attractor;
create table if not exists attractor.workers (
  id text primary key,
  host text not null,
  pid integer not null,
  labels text[] not null,
  max_runs integer not null,
  runs integer not null,
  version text not null,
  started timestamptz not null default now(),
  beat timestamptz not null default now(),
  leaving boolean not null default false
);`;

/** A worker as it describes itself. */
export interface WorkerRow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly labels: readonly string[];
  readonly max_runs: number;
  readonly runs: number;
  readonly version: string;
  readonly started: Date;
  readonly beat: Date;
  readonly leaving: boolean;
}

/** Seconds between two signs of life of a worker. */
export const beatSeconds = 1;
/** Seconds without one after which a worker counts as dead. */
export const deadSeconds = 5;

/** Workers with a sign of life, the longest at work first. */
export async function readWorkers(pool: Pool): Promise<readonly WorkerRow[]> {
  const { rows } = await pool.query<WorkerRow>(
    `select * from attractor.workers where beat > now() - make_interval(secs => $1) order by started, id`,
    [deadSeconds],
  );
  return rows;
}
