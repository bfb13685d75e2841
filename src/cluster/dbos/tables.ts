import type { Pool } from 'pg';
import type { ClusterWorker } from '../cluster.js';
import { names } from './names.js';
import { permitTables } from './permit-tables.js';

/**
 * Tables that DBOS does not have, as changes in the order in which they are made: the number of changes is the version of the
 * tables. A change that was released stays as it is, and a worker of the version before must be able to live with a new one.
 * What roles may do with a table is its row in `rights.ts`.
 */
export const migrations: readonly string[] = [
  `create table if not exists attractor.workers (
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
   )`,
  // Content of files of runs, by the SHA-256 of all parts; a file goes with its run.
  `create table if not exists attractor.files (
     run_id text not null,
     sha256 text not null,
     part integer not null,
     content bytea not null,
     stored timestamptz not null default now(),
     primary key (run_id, sha256, part)
   )`,
  requeue('session_user'),
  `revoke all on function attractor.requeue(text) from public`,
  // A connection that acts for a tenant has the rights of the tenant, and not those of its login.
  requeue(`coalesce(nullif(current_setting('role'), 'none')::name, session_user)`),
  ...permitTables,
  // Stages that a worker performs for runs that are spread.
  `alter table attractor.workers add column if not exists stages integer not null default 0`,
  // A worker of the version before has as many as it takes by default.
  `alter table attractor.workers add column if not exists max_stages integer not null default 20`,
  // Stages of spread runs belong to no tenant, so that none can send orders to them: the tenant of a run learns by this where they are.
  `create or replace function attractor.stage_workers(run_id text) returns table (stage text, worker text)
   language sql stable security definer set search_path = pg_catalog as $$
     select stage.workflow_uuid, stage.executor_id
     from dbos.workflow_status stage, (select coalesce(nullif(current_setting('role'), 'none')::name, session_user) as name) caller
     where stage.name = '${names.stage}' and stage.status = 'PENDING' and stage.executor_id is not null
       and starts_with(stage.workflow_uuid, run_id || '/')
       and (pg_has_role(caller.name, current_user, 'member') or exists (
         select from pg_roles role, dbos.workflow_status run
         where run.workflow_uuid = run_id and (role.rolname = run.authenticated_user or role.rolname = 'attractor_worker')
           and pg_has_role(caller.name, role.oid, 'member')))
   $$`,
  `revoke all on function attractor.stage_workers(text) from public`,
];

/**
 * Function that puts a run that has ended, or that DBOS gave up, back into its queue, as DBOS rewinds a workflow, from its last step
 * that was recorded well. It does so with the rights of the owner, for whoever may become the tenant of the run, and for workers:
 * neither role can change or remove what is recorded by itself.
 * @param caller expression of the role that asks for it
 */
function requeue(caller: string): string {
  return `create or replace function attractor.requeue(run_id text) returns boolean
   language plpgsql security definer set search_path = pg_catalog as $$
   declare
     first_failed integer;
   begin
     update dbos.workflow_status run
     set status = 'ENQUEUED', owner_xid = null, recovery_attempts = 0, workflow_deadline_epoch_ms = null,
       deduplication_id = null, started_at_epoch_ms = null, completed_at = null, output = null, error = null,
       updated_at = (extract(epoch from now()) * 1000)::bigint
     where workflow_uuid = run_id and name = 'run' and status not in ('ENQUEUED', 'DELAYED', 'PENDING')
       and exists (select from pg_roles role
         where (role.rolname = run.authenticated_user or role.rolname = 'attractor_worker')
           and pg_has_role(${caller}, role.oid, 'member'));
     if not found then
       return false;
     end if;
     delete from dbos.workflow_output where workflow_uuid = run_id;
     select min(function_id) into first_failed
     from dbos.operation_outputs where workflow_uuid = run_id and error is not null;
     if first_failed is not null then
       delete from dbos.operation_outputs where workflow_uuid = run_id and function_id >= first_failed;
       update dbos.notifications set consumed = false, consumed_by_function_id = null
       where destination_uuid = run_id and consumed_by_function_id >= first_failed;
     end if;
     return true;
   end
   $$`;
}

/** Workers that perform stages of a spread run now, by the ids of the tries. */
export async function readStageWorkers(pool: Pool, runId: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ stage: string; worker: string }>(
    `select stage, worker from attractor.stage_workers($1)`,
    [runId],
  );
  return new Map(rows.map(({ stage, worker }) => [stage, worker]));
}

/** Seconds between two signs of life of a worker. */
export const beatSeconds = 1;
/** Seconds without one after which a worker counts as dead. */
export const deadSeconds = 5;

/** Workers with a sign of life, the longest at work first. */
export async function readWorkers(pool: Pool): Promise<readonly ClusterWorker[]> {
  const { rows } = await pool.query<ClusterWorker>(
    `select * from attractor.workers where beat > now() - make_interval(secs => $1) order by started, id`,
    [deadSeconds],
  );
  return rows;
}
