// How long a run of many inputs waits when its worker is killed: the time from the kill to the first step that another worker
// records, for runs of several ages.
//
//   node bench/takeover.mjs [--database URL] [--inputs 1000,20000]
//
// Without a URL it starts a PostgreSQL of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { endWithMe, hasEnded } from '../scripts/leftovers.mjs';
import { openServer } from './cluster/postgres.mjs';
import { bundleClient, pause } from './cluster/sides.mjs';

const { values: options } = parseArgs({
  options: { database: { type: 'string' }, inputs: { type: 'string', default: '1000,20000' } },
});
const root = join(import.meta.dirname, '..');
const plugin = join(import.meta.dirname, 'cluster/plugin.mjs');
const directory = mkdtempSync(join(tmpdir(), 'attractor-bench-takeover-'));
const closing = [() => rmSync(directory, { recursive: true, force: true })];
try {
  await measure();
} finally {
  for (const close of closing.reverse()) await close();
}

async function measure() {
  const server = await openServer(options.database);
  closing.push(() => server.close());
  const modules = await import(await bundleClient());
  for (const inputs of options.inputs.split(',').map(Number)) {
    const database = await server.createDatabase(`attractor_takeover_${process.pid}_${inputs}`);
    const { continues, records } = await takeover(modules, database, inputs);
    process.stdout.write(
      `${inputs} inputs: ${continues.toFixed(1)} s from the kill until the run is live again, ${records.toFixed(1)} s until the next step\n`,
    );
  }
}

/** @returns seconds */
async function takeover(modules, database, inputs) {
  await modules.migrateCluster(database);
  const pool = new pg.Pool({ connectionString: database, max: 1 });
  // Its connection may outlive it until the database is dropped.
  pool.on('error', () => undefined);
  const cluster = await modules.openCluster(database);
  const workers = [await startWorker(database)];
  try {
    const { runId } = await submit(modules, cluster);
    const recorded = async () => {
      const { rows } = await pool.query(
        `select coalesce(max(function_id), 0) as last from dbos.operation_outputs where workflow_uuid = $1`,
        [runId],
      );
      return rows[0].last;
    };
    while ((await recorded()) < inputs) await pause(50);
    // Idle until then: the first one has the run.
    workers.push(await startWorker(database));
    await stop(workers[0]);
    const killed = performance.now();
    const last = await recorded();
    while ((await recorded()) <= last) await pause(10);
    const records = performance.now() - killed;
    return { continues: (workers[1].continuedAt - killed) / 1000, records: records / 1000 };
  } finally {
    for (const worker of workers) await stop(worker);
    await cluster.close();
    await pool.end();
  }
}

/** A loop that does not end by itself. */
async function submit({ compile, compileOptionsOf, extensionsFor, prepareSubmission, registryOf }, cluster) {
  const here = { cwd: () => directory, env: {} };
  const extensions = await extensionsFor('-', { plugin: [plugin], config: false }, here);
  const dot = `digraph loop {
    goal="Work"
    start [shape=Mdiamond]
    exit [shape=Msquare]
    work [type="bench.work"]
    start -> work
    work -> work [condition="context.answer=42"]
    work -> exit [condition="context.answer!=42"]
  }`;
  const submission = await prepareSubmission(compile(dot, compileOptionsOf(extensions)), {
    workingDirectory: directory,
    extensions: extensions.record,
    handlers: await registryOf(extensions),
    maxSteps: 10_000_000,
  });
  if ('status' in submission) throw new Error(JSON.stringify(submission.diagnostics, undefined, 1));
  await cluster.submit(submission);
  return submission;
}

async function startWorker(database) {
  const process_ = spawn(
    process.execPath,
    [join(root, 'bin/attractor.js'), 'worker', '--database', database],
    {
      cwd: mkdtempSync(join(directory, 'worker-')),
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  endWithMe(process_.pid, 'SIGKILL');
  const worker = { process: process_, continuedAt: undefined };
  const ready = new Promise((resolve, reject) => {
    createInterface({ input: process_.stderr }).on('line', (line) => {
      if (process.env.VERBOSE) process.stderr.write(`${line}\n`);
      if (/ready/.test(line)) resolve();
      if (/continues here/.test(line)) worker.continuedAt ??= performance.now();
    });
    process_.once('exit', (code) => reject(new Error(`a worker ended with ${code}`)));
  });
  await ready;
  return worker;
}

async function stop({ process: worker }) {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = once(worker, 'exit');
  worker.kill('SIGKILL');
  await ended;
  hasEnded(worker.pid);
}
