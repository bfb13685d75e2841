import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import type { RunHistory } from '../../src/cluster/run-history.js';
import type { Running } from '../integration/process/attractor.js';
import { killedPipelines } from '../proof/crash/kill-pipelines.js';
import { randomFrom } from '../proof/crash/kills.js';
import { tell } from '../proof/crash/tell.js';
import { expectNothingAgain, notesIn, settledOnce } from './expectations.js';
import { keepEvidence } from './keep-evidence.js';
import { liveCluster, recordedSteps } from './live-cluster.js';
import { OpenRuns } from './open-runs.js';

const kills = Number(process.env.KILLS ?? 20);
/** Runs that are open at a time. */
const load = 16;
/** Only runs that no longer get any further take that long. */
const patienceMs = 180_000;
/** Each look takes a twentieth of a second itself, which the workers do not have. */
const lookMs = 250;

const cluster = await liveCluster();
const open = new OpenRuns(cluster);
const random = randomFrom(24);
const workers: Running[] = [];
/** All that there were. */
const started: Running[] = [];
const log: string[] = [];
/** Those that have ended. */
const gone = new Set<Running | undefined>();
/** Workers that the others have taken for dead, because the machine is busy: whoever starts workers starts them again. */
let ended = 0;
const runs: { readonly id: string; readonly pattern: readonly string[] | undefined }[] = [];

test(
  `${kills} kills of workers and of the database lose and repeat nothing that was recorded`,
  (context) =>
    killThem(context).catch(async (error: Error) => {
      const kept = await keepEvidence(cluster, { runIds: openOrAll(), workers: started, log });
      error.message += `\nWhat can explain it is kept in ${kept}`;
      throw error;
    }),
  300_000 + kills * 60_000,
);

async function killThem(context: TestContext): Promise<void> {
  const pipelines = killedPipelines.map(({ dot }) => dot);
  for (const { files = {} } of killedPipelines)
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(cluster.directory, name), text);
  for (const place of [0, 1]) await startWorker(place);
  const whole: string[] = [];
  for (const dot of pipelines) whole.push(await open.submit(dot));
  await until(() => open.ids.length === 0);
  const patterns = (await cluster.histories(whole)).map((history) => settledOnce(history).attempts);

  const recorded = new Map<string, unknown>();
  const killed = { workers: 0, databases: 0 };
  while (killed.workers + killed.databases < kills) {
    while (open.ids.length < load) {
      const kind = runs.length % pipelines.length;
      runs.push({ id: await open.submit(pipelines[kind] ?? ''), pattern: patterns[kind] });
    }
    const { ids } = open;
    await until(() => open.haveRecovered);
    const end = performance.now() + 300 + random() * 1500;
    await until(() => performance.now() > end);
    for (const [step, output] of await recordedSteps(cluster, ids)) recorded.set(step, output);
    open.wereStopped();
    if (random() < 0.4) {
      note('the database is killed');
      await cluster.server.stop('immediate');
      await new Promise((resolve) => setTimeout(resolve, random() * 1000));
      await cluster.server.start();
      note('the database is back');
      killed.databases += 1;
    } else {
      await replaceWorker(Math.floor(random() * workers.length));
      killed.workers += 1;
    }
  }
  await until(() => open.ids.length === 0);

  const ids = runs.map(({ id }) => id);
  const after = await recordedSteps(cluster, ids);
  for (const [step, output] of recorded) expect(after.get(step)).toBe(output);
  const settled = new Map<string, number>();
  let continued = 0;
  for (const [index, history] of (await cluster.histories(ids)).entries()) {
    expect(history.view.status, ids[index]).toBe('success');
    const { attempts, times } = settledOnce(history);
    expect(attempts).toEqual(runs[index]?.pattern);
    for (const [key, time] of times) settled.set(key, time);
    continued += takeoversOf(history);
  }
  const notes = notesIn(cluster.directory).filter(({ key }) => settled.has(key));
  const repeated = expectNothingAgain(settled, notes);
  const counts = { runs: runs.length, steps: recorded.size, attempts: settled.size, continued, repeated };
  tell(context, { ...killed, ended, ...counts });
  if (process.env.KILLS !== undefined)
    process.stdout.write(`${JSON.stringify({ ...killed, ended, ...counts })}\n`);
}

async function startWorker(place: number): Promise<void> {
  const worker = await cluster.worker();
  note(`process ${worker.pid} works`);
  workers[place] = worker;
  started.push(worker);
  void worker.finished.then(() => gone.add(worker));
}

/** Runs that may have failed: those that have not succeeded, or any. */
function openOrAll(): readonly string[] {
  return open.ids.length > 0 ? open.ids : runs.map(({ id }) => id);
}

function note(what: string): void {
  log.push(`${new Date().toISOString()} ${what}`);
}

async function replaceWorker(place: number): Promise<void> {
  note(`process ${workers[place]?.pid} is killed`);
  workers[place]?.kill('SIGKILL');
  await startWorker(place);
}

/** Lets the runs go on until something holds, or until none of them does any more. */
async function until(isReached: () => boolean): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    for (const [place, worker] of workers.entries()) {
      if (!gone.has(worker)) continue;
      expect(worker.output()).toContain('have taken this one for dead');
      ended += 1;
      await startWorker(place);
    }
    await open.look();
    open.forgetEnded();
    if (isReached()) return;
    if (open.haveProblem || performance.now() > deadline) throw new Error(await whatIsOpen());
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

/** Says of runs that do not end where they are, and what their workers have said. */
async function whatIsOpen(): Promise<string> {
  const rows = await cluster.query(
    `select workflow_uuid as run, status, executor_id, recovery_attempts, workflow_output.error,
       (select max(function_id) from dbos.operation_outputs o where o.workflow_uuid = w.workflow_uuid) as step
     from dbos.workflow_status w left join dbos.workflow_output using (workflow_uuid) where status <> 'SUCCESS'`,
  );
  const last = await Promise.all(
    rows.map(async ({ run }) => {
      const history = (await cluster.client.find(String(run)))?.history;
      return { problem: history?.problem, event: history?.run.events.at(-1) };
    }),
  );
  return (
    [...rows, ...last].map((row) => JSON.stringify(row)).join('\n') +
    workers.map((one) => one.output()).join('\n')
  );
}

/** Times that a run has gone on where its worker was killed. */
function takeoversOf({ run }: RunHistory): number {
  return run.events.filter((event) => event.type === 'PipelineResumed' && event.from === 'running').length;
}
