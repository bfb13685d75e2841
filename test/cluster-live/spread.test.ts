import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Running } from '../integration/process/attractor.js';
import { pipeline } from '../run/harness.js';
import { type HeldModels, heldModels } from '../support/held-models.js';
import { calls, says } from '../support/mock-models.js';
import { settledOnce } from './expectations.js';
import { liveCluster, openRuns } from './live-cluster.js';

const cluster = await liveCluster();
const workers = new Map<string, Running>();

/** Starts a worker that tells its tools its name. @param variables of its environment */
async function startWorker(name: string, variables: Readonly<Record<string, string>> = {}): Promise<void> {
  const args = ['worker', '--home', `runs-${name}`, '--name', name, '--stages', '8', '--grace', '0s'];
  const worker = cluster.start(args, undefined, undefined, { ...variables, WORKER_NAME: name });
  await worker.until('it was ready', () => worker.output().includes('is ready for'));
  workers.set(name, worker);
}

async function startWorkers(): Promise<void> {
  await Promise.all(['w1', 'w2', 'w3'].map((name) => startWorker(name)));
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
  await startWorkers();
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
  await startWorkers();
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
  await startWorkers();
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
  await startWorkers();
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
  await startWorkers();
  const runId = await submit('cancelled', 600);
  await untilBegun('cancelled');
  const pids = notesIn('cancelled').map(({ pid }) => pid);
  expect(pids.filter(isAlive)).toHaveLength(items.length);
  expect((await cluster.start(['cancel', runId]).finished).status).toBe(0);
  await cluster.until('the run had ended', openRuns, ({ open }) => open === 0);
  expect(pids.filter(isAlive)).toEqual([]);
});

/** A `foreach` of one item, whose model lists files, and then answers. */
const asksModel = pipeline(
  'each [shape=component, foreach="${inputs.items}"]',
  'work [prompt="Do the work.", llm_model="claude-sonnet-4-5"]',
  'join [shape=tripleoctagon]',
  'start -> each -> work -> join -> exit',
).replace('digraph G {', 'digraph G {\ngraph [inputs="items:list"]');

const stageOfModel = `select substr(executor_id, 1, 2) as worker from dbos.workflow_status
  where name = 'stage' and status = 'PENDING'`;

async function untilAsked({ asked }: HeldModels, requests: number): Promise<void> {
  await cluster.until('the model was asked', stageOfModel, () => asked() === requests);
}

/** Roles of the messages in each request, without the system's. */
function rolesIn({ mock }: HeldModels): readonly string[] {
  return mock
    .requests()
    .map(({ body }) => body.messages.flatMap(({ role }) => (role === 'system' ? [] : [role])).join(', '));
}

test('a model continues its conversation after a pause, and after the death of its worker, and hears what a person says', async () => {
  const models = await heldModels([calls(['list_files', {}]), says('lost'), says('lost'), says('Done.')]);
  await Promise.all(['w1', 'w2'].map((name) => startWorker(name, models.mock.variables)));
  const runId = await cluster.submit(asksModel, { spread: true, inputs: { items: [1] } });
  models.release();
  await untilAsked(models, 2);
  expect((await cluster.start(['pause', runId, '--now']).finished).status).toBe(0);
  expect((await cluster.start(['wait', runId]).finished).stdout).toContain('paused');
  const resumed = await cluster.start(['resume', runId, '--detach']).finished;
  expect(resumed.status, resumed.stderr).toBe(0);
  await untilAsked(models, 3);
  const steered = await cluster.start(['steer', runId, 'work', 'Use PostgreSQL.']).finished;
  expect(steered.status, steered.stderr).toBe(0);
  const [victim] = await cluster.query(stageOfModel);
  await kill(String(victim?.worker));
  await untilAsked(models, 4);
  for (let held = 2; held <= 4; held += 1) models.release();
  await cluster.until('the run had ended', openRuns, ({ open }) => open === 0);
  const [history] = await cluster.histories([runId]);
  if (history === undefined) throw new Error('the run is gone');
  expect(history.view.status).toBe('success');
  const continued = 'user, assistant, tool';
  // The mock reads one message, with the result and the words, as two.
  expect(rolesIn(models)).toEqual(['user', continued, continued, 'user, assistant, user, tool']);
  const types = history.run.events.map(({ type }) => type);
  for (const type of ['StageSteered', 'SteeringDelivered'])
    expect(types.filter((one) => one === type)).toHaveLength(1);
  expect(types.filter((type) => type === 'ModelUsed')).toHaveLength(2);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
