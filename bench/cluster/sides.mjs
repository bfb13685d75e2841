import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DBOSClient } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import { endWithMe, hasEnded } from '../../scripts/leftovers.mjs';
import { parserDecisions } from '../../scripts/parser-decisions.mjs';
import { processorTime } from '../server/processor-time.mjs';

const root = join(import.meta.dirname, '../..');
const plugin = join(import.meta.dirname, 'plugin.mjs');
const waitMs = 5;

/** What is compared: a worker with its database, and how work is submitted to it. */
class Side {
  #marksRead = 0;

  constructor({ name, database, directory, runs }) {
    this.name = name;
    this.database = database;
    this.directory = join(directory, name);
    mkdirSync(this.directory);
    this.runs = runs;
    this.marks = join(this.directory, 'marks');
    this.heapFile = join(this.directory, 'heap');
    writeFileSync(this.marks, '');
    this.pool = new pg.Pool({ connectionString: database, max: 2 });
    this.pool.on('error', () => undefined);
  }

  /** @param args of `node`; the worker says `ready` when it is */
  async startWorker(args) {
    const hook = join(import.meta.dirname, 'report-heap.mjs');
    this.worker = spawn(process.execPath, ['--expose-gc', '--import', hook, ...args], {
      cwd: this.directory,
      env: { ...process.env, BENCH_MARKS: this.marks, BENCH_HEAP: this.heapFile },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    endWithMe(this.worker.pid, 'SIGKILL');
    const lines = createInterface({ input: this.worker.stderr });
    const last = [];
    const ended = once(this.worker, 'exit').then(() => {
      throw new Error(`the worker of ${this.name} ended: ${last.join('\n')}`);
    });
    ended.catch(() => undefined);
    const ready = new Promise((resolve) => {
      lines.on('line', (text) => {
        last.push(text);
        if (/ready/.test(text)) resolve();
      });
    });
    await Promise.race([ready, ended]);
  }

  processorTime() {
    return processorTime(this.worker.pid);
  }

  /** Waits until so many more runs have ended well. */
  async untilDone(count) {
    const before = this.doneBefore ?? 0;
    for (;;) {
      const { rows } = await this.pool.query(
        `select status, count(*)::int as count from dbos.workflow_status group by status`,
      );
      const counts = Object.fromEntries(rows.map(({ status, count: of }) => [status, of]));
      if (counts.ERROR > 0) throw new Error(`a run of ${this.name} failed`);
      if ((counts.SUCCESS ?? 0) >= before + count) break;
      await pause(20);
    }
    this.doneBefore = before + count;
  }

  /** Waits for the next mark that a run leaves. @returns when it was left, in milliseconds since 1970 */
  async nextMark() {
    for (;;) {
      const text = readFileSync(this.marks, 'utf8').slice(this.#marksRead);
      const end = text.indexOf('\n') + 1;
      if (end > 0) {
        this.#marksRead += end;
        return Number(text.slice(0, end).split(' ')[1]);
      }
      await pause(waitMs);
    }
  }

  /** Bytes that the heap of the worker holds after a collection. */
  async heap() {
    rmSync(this.heapFile, { force: true });
    this.worker.kill('SIGUSR2');
    while (!existsSync(this.heapFile)) await pause(waitMs);
    return Number(readFileSync(this.heapFile, 'utf8'));
  }

  /** Bytes of the tables of DBOS, with their indexes, each without what was deleted; and the number of steps and runs. */
  async space() {
    await this.pool.query('vacuum full');
    const { rows } = await this.pool.query(
      `select relname as name, pg_total_relation_size(oid)::int as bytes from pg_class
       where relkind = 'r' and relnamespace = 'dbos'::regnamespace`,
    );
    const tables = Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]));
    const counted = await this.pool.query(
      `select (select count(*)::int from dbos.operation_outputs) as steps,
         (select count(*)::int from dbos.workflow_status) as runs`,
    );
    return { tables, ...counted.rows[0] };
  }

  async close() {
    if (this.worker?.exitCode === null) {
      this.worker.kill('SIGKILL');
      await once(this.worker, 'exit');
      hasEnded(this.worker.pid);
    }
    await this.pool.end();
  }
}

/** Bare DBOS: a workflow of steps that return small data. */
export class BareSide extends Side {
  #count = 0;

  async start() {
    await this.startWorker([join(import.meta.dirname, 'bare-worker.mjs'), this.database, String(this.runs)]);
    this.client = await DBOSClient.create({ systemDatabaseUrl: this.database, applicationName: 'bare' });
  }

  async submission(work) {
    return work;
  }

  async submit({ steps, waits, marks }) {
    this.#count += 1;
    const workflowID = `bare-${this.#count}`;
    const target = { queueName: 'lines', workflowName: 'line', workflowID, appVersion: 'bare' };
    await this.client.enqueue(target, { steps, waits, marks });
    return workflowID;
  }

  /** Waits until a run waits for a message. @returns what answers it */
  async answerer(id) {
    const { pool } = this;
    for (;;) {
      const { rowCount } = await pool.query(`select 1 from dbos.operation_outputs where workflow_uuid = $1`, [
        id,
      ]);
      // The wait has a step for its end.
      if (rowCount > 0) break;
      await pause(waitMs);
    }
    return () => this.client.send(id, { answer: 'Y' }, 'answer');
  }

  async close() {
    await this.client?.destroy();
    await super.close();
  }
}

/** Runs of attractor, with the worker of the built package. */
export class AttractorSide extends Side {
  async start() {
    this.modules = await import(await bundleClient());
    await this.modules.migrateCluster(this.database);
    await this.startWorker([
      join(root, 'bin/attractor.js'),
      ...['worker', '--database', this.database, '--runs', String(this.runs)],
    ]);
    this.cluster = await this.modules.openCluster(this.database);
  }

  /** A run that is ready to be submitted: who submits is another machine, whose time does not count. */
  async submission({ steps, files = 0, waits, marks }) {
    const { compile, compileOptionsOf, extensionsFor, prepareSubmission, registryOf } = this.modules;
    const here = { cwd: () => this.directory, env: {} };
    const extensions = await extensionsFor('-', { plugin: [plugin], config: false }, here);
    const compilation = compile(pipeline({ steps, files, waits, marks }), compileOptionsOf(extensions));
    const submission = await prepareSubmission(compilation, {
      workingDirectory: this.directory,
      extensions: extensions.record,
      handlers: await registryOf(extensions),
      maxSteps: 10 * steps + 100,
    });
    if ('status' in submission) throw new Error(JSON.stringify(submission.diagnostics, undefined, 1));
    return submission;
  }

  async submit(submission) {
    await this.cluster.submit(submission);
    return submission.runId;
  }

  async answerer(id) {
    const run = await this.cluster.find(id);
    for (;;) {
      const asked = run.history.run.events.find(({ type }) => type === 'InterviewStarted');
      if (asked !== undefined)
        return () => run.send({ kind: 'answer', question: asked.question.id, answer: 'Y' });
      await pause(waitMs);
      await run.refresh();
    }
  }

  async close() {
    await this.cluster?.close();
    await super.close();
  }
}

function pipeline({ steps, files, waits, marks }) {
  const ids = Array.from({ length: steps }, (_, index) => `stage_${index + 1}`);
  const stages = ids.map(
    (id) => `${id} [type="bench.work"${files > 0 ? `, files=${files}` : ''}${marks ? ', mark=true' : ''}]`,
  );
  const gate = waits ? ['gate [shape=hexagon, label="Go on?"]', `gate -> ${ids[0]} [label="[Y] Yes"]`] : [];
  const way = ['start', waits ? 'gate' : ids[0]].join(' -> ');
  return `digraph line {\n  goal="Work"\n  start [shape=Mdiamond]\n  exit [shape=Msquare]\n  ${[...stages, ...gate, way, [...ids, 'exit'].join(' -> ')].join('\n  ')}\n}\n`;
}

/** The client as the command line uses it, which the library does not export. Packages that stay outside are found from where it is. */
export async function bundleClient() {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: root,
    input: 'bench/cluster/client.ts',
    platform: 'node',
    external: [/^@dbos-inc\/dbos-sdk/, 'pg'],
    logLevel: 'silent',
    transform: {
      target: 'node20',
      define: {
        __ATTRACTOR_VERSION__: '"bench"',
        __ATTRACTOR_DECISIONS__: JSON.stringify(await parserDecisions(root)),
        // Whoever submits starts no tools.
        __ATTRACTOR_SPAWNER__: '""',
      },
    },
  });
  const directory = join(root, 'node_modules/.cache/attractor-bench');
  await build.write({ dir: directory, format: 'esm', entryFileNames: 'client.mjs' });
  await build.close();
  return join(directory, 'client.mjs');
}

export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
