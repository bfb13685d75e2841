import { names } from './names.js';

/** Roles of a cluster, which say what a connection may do. Whoever logs in is a member of one of them. */
export const roles = {
  /** Submits runs, follows and steers its own: each member is a tenant. */
  client: 'attractor_client',
  /** Carries the runs of all tenants. */
  worker: 'attractor_worker',
} as const;

/** Rights at one table, and whose rows a tenant has to do with. */
export interface TableRights {
  readonly table: string;
  /** What clients may do, as `GRANT` takes it; nothing without. */
  readonly client?: string;
  readonly worker: string;
  /** Conditions for the rows that a tenant has to do with, and for those that it adds; without them, all rows are for all who have rights. */
  readonly own?: { readonly seen: string; readonly added?: string };
}

/** Workers add and change; what is recorded only the owner removes. */
const work = 'select, insert, update';

/** Condition for rows that belong to a run of the tenant: one look into an index, where `exists` would read all runs of the tenant. */
function ofOwnRun(table: string, column: string): string {
  return `(select run.authenticated_user from dbos.workflow_status run where run.workflow_uuid = ${table}.${column}) = current_user`;
}

/** Rows that DBOS keeps for each run. */
function perRun(table: string, client?: string): TableRights {
  return { table, client, worker: work, own: { seen: ofOwnRun(table, 'workflow_uuid') } };
}

/**
 * Rights of both roles at each table. A client submits by a row that says what a submission says, in its own name, and sends
 * messages; what steps record only workers write. The one column that it may update is one that DBOS sets to its own value where
 * a run is submitted again.
 */
export const tableRights: readonly TableRights[] = [
  {
    table: 'dbos.workflow_status',
    client: 'select, insert, update (creator_xid)',
    worker: work,
    own: {
      seen: `authenticated_user = current_user`,
      added: `authenticated_user = current_user and workflow_uuid ~ '^\\w[\\w.-]*$' and name = 'run' and status in ('ENQUEUED', 'DELAYED')
        and queue_name ~ '^runs([:@]|$)' and parent_workflow_id is null and owner_xid is null and output is null`,
    },
  },
  perRun('dbos.workflow_input', 'select, insert (workflow_uuid, inputs)'),
  perRun('dbos.workflow_output', 'select'),
  perRun('dbos.operation_outputs', 'select'),
  perRun('dbos.workflow_events'),
  perRun('dbos.workflow_events_history'),
  perRun('dbos.streams', 'select'),
  {
    table: 'dbos.notifications',
    client: 'select, insert (destination_uuid, topic, message, serialization, message_uuid)',
    worker: work,
    // What stages on other workers report is believed. DBOS drops a message whose id is taken, so nobody may take those of other runs.
    own: {
      seen: ofOwnRun('dbos.notifications', 'destination_uuid'),
      added: `${ofOwnRun('dbos.notifications', 'destination_uuid')} and topic is distinct from '${names.stageTopic}'
        and (message_uuid ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' or right(message_uuid, length(destination_uuid) + 2) = '::' || destination_uuid)`,
    },
  },
  {
    table: 'dbos.queues',
    client: 'select, insert',
    worker: work,
    own: {
      seen: 'true',
      added: `name ~ '^runs(:|$)' and concurrency is null and worker_concurrency is null and rate_limit_max is null
        and partition_concurrency is null and partition_worker_concurrency is null and partition_rate_limit_max is null`,
    },
  },
  { table: 'dbos.application_versions', worker: 'select, insert, update' },
  { table: 'dbos.workflow_schedules', worker: 'select' },
  { table: 'dbos.event_dispatch_kv', worker: 'select' },
  { table: 'dbos.dbos_migrations', client: 'select', worker: 'select' },
  { table: 'attractor.version', client: 'select', worker: 'select' },
  {
    table: 'attractor.files',
    client: 'select',
    worker: 'select, insert',
    own: { seen: ofOwnRun('attractor.files', 'run_id') },
  },
  { table: 'attractor.limits', worker: 'select' },
  { table: 'attractor.permits', worker: 'select' },
  { table: 'attractor.workers', client: 'select', worker: 'select, insert, update, delete' },
];

/** Statements that let both roles find the tables. */
export const schemaGrants: readonly string[] = ['dbos', 'attractor'].map(
  (schema) => `grant usage on schema ${schema} to ${roles.client}, ${roles.worker}`,
);

/** Statements that let both roles use the functions. */
export const functionGrants: readonly string[] = [
  ...['requeue', 'stage_workers'].map(
    (name) => `grant execute on function attractor.${name}(text) to ${roles.client}, ${roles.worker}`,
  ),
  ...['ask_permit(text, text, text)', 'end_permit(text, bigint, boolean)', 'begun_permits(text)'].map(
    (name) => `grant execute on function attractor.${name} to ${roles.worker}`,
  ),
];

/** Statements that give both roles their rights at a table, and no others, whatever they had before. They can be repeated. */
export function grantStatements({ table, client, worker, own }: TableRights): readonly string[] {
  return [
    `revoke all on ${table} from ${roles.client}, ${roles.worker}`,
    `grant ${worker} on ${table} to ${roles.worker}`,
    ...(client === undefined ? [] : [`grant ${client} on ${table} to ${roles.client}`]),
    ...(own === undefined ? [] : policyStatements(table, own)),
  ];
}

/** Row-level security of a table. Its owner is not subject to it. */
function policyStatements(table: string, { seen, added = seen }: NonNullable<TableRights['own']>): string[] {
  return [
    `alter table ${table} enable row level security`,
    `drop policy if exists attractor_worker on ${table}`,
    `create policy attractor_worker on ${table} to ${roles.worker} using (true) with check (true)`,
    `drop policy if exists attractor_client on ${table}`,
    `create policy attractor_client on ${table} to ${roles.client} using (${seen}) with check (${added})`,
  ];
}
