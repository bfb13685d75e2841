import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll } from 'vitest';
import { endWithMe, hasEnded, removeWithMe } from '../../scripts/leftovers.mjs';
import { type PostgresServer, savePostgres, startPostgres } from '../../scripts/postgres.mjs';
import type { Cluster } from '../../src/cluster/cluster.js';
import { openCluster } from '../../src/cluster/dbos/cluster.js';
import { migrateCluster } from '../../src/cluster/dbos/migrate.js';
import { prepareSubmission } from '../../src/cluster/prepare-submission.js';
import type { RunHistory } from '../../src/cluster/run-history.js';
import { compile } from '../../src/compiler/compile.js';
import type { RunOptions } from '../../src/run/run.js';
import { type Running, startAttractor } from '../integration/process/attractor.js';
import { tool } from '../proof/crash/kill-pipelines.js';

/** A PostgreSQL server, a database in it with the tables of a cluster, and processes of the built command line around it. */
export interface LiveCluster {
  readonly server: PostgresServer;
  /** URL of the database. */
  readonly database: string;
  /** Where pipelines work; `runs` in it is the directory of the runs. */
  readonly directory: string;
  readonly client: Cluster;
  /** URL of the database for somebody else than its owner. */
  urlFor(user: string): string;
  /** Starts a worker, and waits until it is ready. */
  worker(args?: readonly string[]): Promise<Running>;
  /** Starts a command that uses the database, as its owner or as another user, where pipelines work or elsewhere. */
  start(
    args: readonly string[],
    user?: string,
    cwd?: string,
    env?: Readonly<Record<string, string>>,
  ): Running;
  /** @returns id of the run */
  submit(dot: string, options?: RunOptions): Promise<string>;
  /** Resolves as soon as a query finds what is awaited; a database that is away is asked again. */
  until(what: string, query: string, isFound: (row: Row) => boolean): Promise<void>;
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  histories(runIds: readonly string[]): Promise<readonly RunHistory[]>;
}

type Row = Readonly<Record<string, string | number>>;

// Only a test that would wait for ever gets there.
const patienceMs = 300_000;
const lookMs = 50;

const databaseName = 'cluster';
/** Data of a server that has the tables of a cluster, once for all files of this process. */
let migrated: Promise<string> | undefined;

/** Starts a server. @returns it, and the URL of the database in it that has the tables of a cluster */
export async function startDatabase(
  parameters: Readonly<Record<string, string>> = {},
): Promise<{ server: PostgresServer; database: string }> {
  migrated ??= savePostgres(async (server) => migrateCluster(await server.createDatabase(databaseName)));
  const server = await startPostgres({ parameters, data: await migrated });
  return { server, database: server.url(databaseName) };
}

/**
 * The cluster of a test file; everything of it ends with the file.
 * @param parameters of the database server, by name
 */
export async function liveCluster(parameters: Readonly<Record<string, string>> = {}): Promise<LiveCluster> {
  const { server, database } = await startDatabase(parameters);
  const directory = mkdtempSync(path.join(tmpdir(), 'attractor-cluster-'));
  // After this process: with what a thousand runs have left, it takes minutes.
  removeWithMe(directory);
  mkdirSync(path.join(directory, 'runs'));
  const client = await openCluster(database);
  const pool = new pg.Pool({ connectionString: database, connectionTimeoutMillis: 2000 });
  // One that is not in use ends with the database.
  pool.on('error', () => undefined);
  const query = async (text: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
    (await pool.query<Row>(text, [...values])).rows;
  const running = new Set<Running>();
  afterAll(async () => {
    for (const { kill } of running) kill('SIGKILL');
    await Promise.all([...running].map(({ finished }) => finished));
    await client.close();
    await pool.end();
    await server.close();
  });

  const urlFor = (user: string): string => database.replace('//postgres@', `//${user}@`);
  const start = (args: readonly string[], user = 'postgres', cwd = directory, env = {}): Running => {
    const child = startAttractor(args, { cwd, env: { ATTRACTOR_DATABASE_URL: urlFor(user), ...env } });
    endWithMe(child.pid, 'SIGKILL');
    running.add(child);
    void child.finished.finally(() => {
      hasEnded(child.pid);
      running.delete(child);
    });
    return child;
  };

  return {
    server,
    database,
    directory,
    client,
    urlFor,
    start,
    async worker(args = []) {
      const worker = start(['worker', '--home', 'runs', ...args]);
      await worker.until('it was ready', () => worker.output().includes('is ready for'));
      return worker;
    },
    async submit(dot, options = {}) {
      const submission = await prepareSubmission(compile(dot), {
        workingDirectory: directory,
        runDirectory: path.join(directory, 'submitted'),
        ...options,
      });
      if ('status' in submission) throw new Error(JSON.stringify(submission.diagnostics));
      await client.submit(submission);
      return submission.runId;
    },
    query,
    async until(what, text, isFound) {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        const [row] = await query(text).catch(() => []);
        if (row !== undefined && isFound(row)) return;
        if (performance.now() > deadline)
          throw new Error(`waited in vain until ${what}: ${JSON.stringify(row)}`);
        await new Promise((resolve) => setTimeout(resolve, lookMs));
      }
    },
    histories: (runIds) =>
      Promise.all(
        runIds.map(async (runId) => {
          const run = await client.find(runId);
          if (run === undefined) throw new Error(`the run ${runId} is not there`);
          return run.history;
        }),
      ),
  };
}

/** Runs that are not over, by state. */
export const openRuns = `select count(*)::int as open from dbos.workflow_status where status in ('ENQUEUED', 'PENDING')`;

/** Time by the clock of the database, in milliseconds. */
export async function databaseTime({ query }: LiveCluster): Promise<number> {
  const [row] = await query('select extract(epoch from clock_timestamp())::float8 * 1000 as now');
  return Number(row?.now);
}

/** Id under which a worker stands in the database. */
export function workerId(worker: Running): string {
  const id = /worker (\S+) is ready/.exec(worker.output())?.[1];
  if (id === undefined) throw new Error(`no id in: ${worker.output()}`);
  return id;
}

/** Nodes of tools that note what they do outside of the run, so that it can be counted: `notesIn`. */
export function tools(seconds: number, ...ids: readonly string[]): readonly string[] {
  return ids.map((id) => tool(id, seconds * 1000));
}

/** What is recorded of runs, by run and step. */
export async function recordedSteps(
  { query }: LiveCluster,
  ids: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const rows = await query(
    'select workflow_uuid, function_id, output from dbos.operation_outputs where workflow_uuid = any($1)',
    [ids],
  );
  return new Map(rows.map(({ workflow_uuid: run, function_id: step, output }) => [`${run}/${step}`, output]));
}
