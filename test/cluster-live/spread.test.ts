import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Running } from '../integration/process/attractor.js';
import { pipeline } from '../run/harness.js';
import { settledOnce } from './expectations.js';
import { liveCluster, openRuns } from './live-cluster.js';

const cluster = await liveCluster();
const workers = new Map<string, Running>();

/** Starts a worker that tells its tools its name. */
async function startWorker(name: string): Promise<void> {
  const args = ['worker', '--home', `runs-${name}`, '--name', name, '--stages', '8', '--grace', '0s'];
  const worker = cluster.start(args, undefined, undefined, { WORKER_NAME: name });
  await worker.until('it was ready', () => worker.output().includes('is ready for'));
  workers.set(name, worker);
}

async function kill(name: string, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
  const worker = workers.get(name);
  worker?.kill(signal);
  await worker?.finished;
  workers.delete(name);
}

afterEach(async () => {
  await Promise.all([...workers.keys()].map((name) => kill(name)));
});

const items = Array.from({ length: 24 }, (_, index) => index + 1);

/** A `foreach` over 24 items, of which a tool notes the worker and the item when it begins and when it has ended. */
function eachItem(file: string, seconds: number): string {
  const note = (what: string): string => `echo ${what} $WORKER_NAME \${context.item} $$ >> ${file}`;
  const command = `${note('begun')}; sleep ${seconds}; ${note('ended')}; echo own > $ATTRACTOR_STAGE_DIR/own.txt`;
  return pipeline(
    'each [shape=component, foreach="${inputs.items}", max_parallel=24]',
    `work [shape=parallelogram, tool_command="${command}"]`,
    'join [shape=tripleoctagon]',
    'start -> each -> work -> join -> exit',
  ).replace('digraph G {', 'digraph G {\ngraph [inputs="items:list"]');
}

interface Note {
  readonly what: string;
  readonly worker: string;
  readonly item: string;
  readonly pid: number;
}

function notesIn(file: string): readonly Note[] {
  const place = path.join(cluster.directory, file);
  if (!existsSync(place)) return [];
  return readFileSync(place, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([what = '', worker = '', item = '', pid = '']) => ({ what, worker, item, pid: Number(pid) }));
}

function submit(file: string, seconds: number): Promise<string> {
  return cluster.submit(eachItem(file, seconds), { spread: true, inputs: { items } });
}

const allBegun = `select count(*)::int as begun from dbos.workflow_status where name = 'stage' and status = 'PENDING'`;

async function untilBegun(file: string): Promise<void> {
  await cluster.until('all items had begun', allBegun, () => notesIn(file).length >= items.length);
}

async function workerOfRun(runId: string): Promise<string> {
  const [row] = await cluster.query(
    'select executor_id as id from dbos.workflow_status where workflow_uuid = $1',
    [runId],
  );
  return String(row?.id).slice(0, 2);
}

/** Waits for the end of a run, and checks that each of its stages came to one outcome, and that the run has their files. */
async function expectSuccess(runId: string): Promise<void> {
  await cluster.until('the run had ended', openRuns, ({ open }) => open === 0);
  const [history] = await cluster.histories([runId]);
  if (history === undefined) throw new Error('the run is gone');
  expect(history.view.status).toBe('success');
  settledOnce(history);
  for (const item of items)
    expect(history.files.file(`work/branch-${item}/own.txt`), `of ${item}`).toMatchObject({ size: 4 });
}

test('24 items work on three workers, each once', async () => {
  await Promise.all(['w1', 'w2', 'w3'].map(startWorker));
  const runId = await submit('shared', 1);
  await expectSuccess(runId);
  const ended = notesIn('shared').filter(({ what }) => what === 'ended');
  expect(ended.map(({ item }) => Number(item)).toSorted((one, other) => one - other)).toEqual(items);
  expect(new Set(ended.map(({ worker }) => worker)).size).toBeGreaterThanOrEqual(2);
  // A worker has nothing of a stage when that has ended.
  expect(existsSync(path.join(cluster.directory, 'runs-w1', '.stages'))).toBe(true);
  const [left] = await cluster.query(`select sum(stages)::int as stages from attractor.workers`);
  expect(left?.stages).toBeLessThanOrEqual(items.length);
});

test('the items of a worker that is killed begin again on another one', async () => {
  await Promise.all(['w1', 'w2', 'w3'].map(startWorker));
  const runId = await submit('killed', 4);
  await untilBegun('killed');
  const drives = await workerOfRun(runId);
  const victim = notesIn('killed').find(({ worker }) => worker !== drives)?.worker ?? '';
  await kill(victim);
  await expectSuccess(runId);
  const notes = notesIn('killed');
  const ended = notes.filter(({ what }) => what === 'ended');
  const begun = notes.filter(({ what }) => what === 'begun');
  const again = begun.length - items.length;
  expect(again).toBe(begun.filter(({ worker }) => worker === victim).length);
  expect(new Set(ended.map(({ item }) => item)).size).toBe(items.length);
});

test('no item begins again where the worker of the run is killed, but its own', async () => {
  await Promise.all(['w1', 'w2', 'w3'].map(startWorker));
  const runId = await submit('driver', 4);
  await untilBegun('driver');
  const drives = await workerOfRun(runId);
  await kill(drives);
  await expectSuccess(runId);
  const begun = notesIn('driver').filter(({ what }) => what === 'begun');
  const own = begun.filter(({ worker }) => worker === drives).length;
  expect(begun.length).toBe(items.length + own);
});

test('a worker that leaves in the middle hands its items over', async () => {
  await Promise.all(['w1', 'w2', 'w3'].map(startWorker));
  const runId = await submit('left', 3);
  await untilBegun('left');
  await kill('w2', 'SIGTERM');
  await expectSuccess(runId);
  const steps = await cluster.query(
    `select count(*)::int as left from dbos.operation_outputs where function_name = 'stage' and output like '%"left"%'`,
  );
  expect(steps[0]?.left).toBeGreaterThan(0);
});

test('a cancelled run ends its processes on all workers', async () => {
  await Promise.all(['w1', 'w2', 'w3'].map(startWorker));
  const runId = await submit('cancelled', 600);
  await untilBegun('cancelled');
  const pids = notesIn('cancelled').map(({ pid }) => pid);
  expect(pids.filter(isAlive)).toHaveLength(items.length);
  expect((await cluster.start(['cancel', runId]).finished).status).toBe(0);
  await cluster.until('the run had ended', openRuns, ({ open }) => open === 0);
  expect(pids.filter(isAlive)).toEqual([]);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
