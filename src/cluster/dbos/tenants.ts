import type { Pool } from 'pg';
import { UsageError } from '../../setup/usage-error.js';
import { codeOf, insufficientPrivilege } from './as-owner.js';
import { openPool, urlAsRole } from './open-pool.js';
import { patiently } from './patiently.js';
import { roles } from './rights.js';

/** Role of a connection, which is the tenant of the runs that it submits. */
export async function currentRole(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string }>('select current_user as name');
  const [row] = rows;
  if (row === undefined) throw new Error('the database does not say who is connected');
  return row.name;
}

/**
 * The tenant for whom a role submits; undefined for one that may do everything in the cluster anyway: its owner, a superuser, a
 * worker. Tenants cannot submit in the name of another role, or in no name (`rights.ts`).
 */
export async function tenantOf(pool: Pool, role: string): Promise<string | undefined> {
  if (role === '') return undefined;
  const { rowCount } = await pool.query(
    `select from pg_roles named join pg_roles trusted on pg_has_role(named.oid, trusted.oid, 'member')
     where named.rolname = $1 and (trusted.rolname = $2
       or trusted.oid = (select nspowner from pg_namespace where nspname = 'attractor'))`,
    [role, roles.worker],
  );
  return rowCount === 0 ? role : undefined;
}

/**
 * Checks that a submission is for the run that it came with: its directory is named after it.
 * @throws Error if whoever has submitted it wants to get at another one
 */
export function checkRunId(runId: unknown, workflowId: string | undefined): void {
  const isPlain = typeof runId === 'string' && /^\w[\w.-]*$/.test(runId);
  if (!isPlain || runId !== workflowId)
    throw new Error(
      `the submission of the run ${workflowId} has the id of another: ${JSON.stringify(runId)}`,
    );
}

/**
 * Connections of a login that acts for a tenant: row-level security keeps the runs of others from them, as from a login of the tenant.
 * @param own connections of the login itself
 * @param tenant name of a role
 * @throws UsageError if the login may not, or the role is not that of a tenant, with what the owner of the database does about it
 */
export async function openTenantPool(database: string, own: Pool, tenant: string): Promise<Pool> {
  await patiently(() => refuseTrusted(own, tenant));
  const pool = await openPool(urlAsRole(database, tenant));
  try {
    await patiently(() => checkTenant(pool, tenant));
    return pool;
  } catch (error) {
    await pool.end();
    throw (await refusalOf(tenant, own, codeOf(error))) ?? error;
  }
}

/** @throws UsageError for connections to which the database shows more than the runs of a tenant, or nothing */
async function checkTenant(pool: Pool, tenant: string): Promise<void> {
  const { rows } = await pool.query<{ is_role: boolean; is_client: boolean; is_held: boolean }>(
    `select current_user = $1 as is_role,
       exists (select from pg_roles client where client.rolname = $2 and pg_has_role(client.oid, 'usage')) as is_client,
       (select row_security_active(runs.oid) from pg_class runs join pg_namespace schema on schema.oid = runs.relnamespace
         where schema.nspname = 'dbos' and runs.relname = 'workflow_status') as is_held`,
    [tenant, roles.client],
  );
  const [found] = rows;
  if (found?.is_role !== true) throw cannotBeTenant(tenant, 'connections do not get the role');
  if (!found.is_client)
    throw new UsageError(
      `the role "${tenant}" may not use the cluster; the owner of the database allows it with: grant ${roles.client} to "${tenant}"`,
    );
  if (!found.is_held || (await tenantOf(pool, tenant)) !== tenant)
    throw cannotBeTenant(tenant, 'the role may see the runs of others');
}

/**
 * Refuses a role that may do more than a tenant before anybody is advised to let the login become it.
 * @throws UsageError
 */
async function refuseTrusted(own: Pool, tenant: string): Promise<void> {
  if (['public', 'none'].includes(tenant) || tenant.startsWith('pg_'))
    throw cannotBeTenant(tenant, 'PostgreSQL keeps the name for itself');
  if (Object.values<string>(roles).includes(tenant))
    throw cannotBeTenant(tenant, 'it is a role of the cluster');
  const { rows } = await own.query<{ reason: string }>(
    `select case
         when trusted.oid <> named.oid then format('may become %I', trusted.rolname)
         when named.rolsuper then 'is a superuser'
         when named.rolbypassrls then 'bypasses row-level security'
         when named.rolcreaterole then 'may make roles'
         else 'owns the cluster'
       end as reason
     from pg_roles named join pg_roles trusted on pg_has_role(named.oid, trusted.oid, 'member')
     where named.rolname = $1 and (trusted.rolsuper or trusted.rolbypassrls or trusted.rolcreaterole
       or trusted.rolname = any($2) or trusted.oid = (select nspowner from pg_namespace where nspname = 'attractor'))
     order by trusted.oid = named.oid desc limit 1`,
    [tenant, mightyRoles],
  );
  const [row] = rows;
  if (row !== undefined) throw cannotBeTenant(tenant, `the role ${row.reason}`);
}

/** Roles whose members get at the runs of all tenants. */
const mightyRoles = [
  roles.worker,
  'pg_execute_server_program',
  'pg_read_server_files',
  'pg_write_server_files',
];

function cannotBeTenant(name: string, reason: string): UsageError {
  return new UsageError(
    `"${name}" cannot be a tenant of the cluster, because ${reason}; give the token another name`,
  );
}

/** Refusal by the database, with the way to let a login act for a tenant; undefined for a problem of another kind. */
async function refusalOf(
  tenant: string,
  own: Pool,
  code: string | undefined,
): Promise<UsageError | undefined> {
  if (code !== unknownRole && code !== insufficientPrivilege) return undefined;
  const { rows } = await patiently(() => own.query<{ login: string }>('select session_user as login'));
  const login = rows[0]?.login ?? '';
  const allow = `grant "${tenant}" to "${login}"`;
  return new UsageError(
    code === unknownRole
      ? `the database has no role "${tenant}"; its owner makes one with: create role "${tenant}" in role ${roles.client}; ${allow}`
      : `"${login}" may not act for "${tenant}"; the owner of the database allows it with: ${allow}`,
  );
}

/** SQLSTATE of a connection that begins as a role that does not exist. */
const unknownRole = '22023';
