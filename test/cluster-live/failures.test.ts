import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { names } from '../../src/cluster/dbos/names.js';
import type { RunHistory } from '../../src/cluster/run-history.js';
import type { Running } from '../integration/process/attractor.js';
import { noteFile } from '../proof/crash/kill-pipelines.js';
import { pipeline } from '../run/harness.js';
import { waitFor } from '../support/wait-for.js';
import { expectNothingAgain, notesIn, settledOnce } from './expectations.js';
import { databaseTime, liveCluster, openRuns, recordedSteps, tools, workerId } from './live-cluster.js';

/** Seconds for which the database is away: longer than a worker may be silent. */
const awaySeconds = Number(process.env.AWAY ?? 7);

const cluster = await liveCluster();
const workers: Running[] = [];

async function worker(...args: readonly string[]): Promise<Running> {
  const started = await cluster.worker(args);
  workers.push(started);
  return started;
}

afterEach(async () => {
  for (const { kill } of workers) kill('SIGTERM');
  await Promise.all(workers.splice(0).map(({ finished }) => finished));
  rmSync(path.join(cluster.directory, noteFile), { force: true });
});

function line(seconds: number, ...ids: readonly string[]): string {
  return pipeline(...tools(seconds, ...ids), ['start', ...ids, 'exit'].join(' -> '));
}

/** Part of a command that notes that it was begun. */
const note = `echo \\"$ATTRACTOR_IDEMPOTENCY_KEY $ATTRACTOR_ATTEMPT $$ $(date +%s%3N)\\" >> ${noteFile}`;

function notes() {
  return existsSync(path.join(cluster.directory, noteFile)) ? notesIn(cluster.directory) : [];
}

function submitted(count: number, dot: string): Promise<readonly string[]> {
  return Promise.all(Array.from({ length: count }, () => cluster.submit(dot)));
}

async function one(id: string): Promise<RunHistory> {
  const [history] = await cluster.histories([id]);
  if (history === undefined) throw new Error(`the run ${id} is not there`);
  return history;
}

/** Checks that runs have succeeded. @returns how often a tool did its work again */
async function expectSuccess(ids: readonly string[]): Promise<number> {
  const settled = new Map<string, number>();
  for (const history of await cluster.histories(ids)) {
    expect(history.view.status).toBe('success');
    for (const [key, time] of settledOnce(history).times) settled.set(key, time);
  }
  return expectNothingAgain(settled, notesIn(cluster.directory));
}

const allEnded = (): Promise<void> => cluster.until('all runs had ended', openRuns, ({ open }) => open === 0);

const recorded = `select count(*)::int as steps from dbos.operation_outputs o
  join dbos.workflow_status w using (workflow_uuid) where w.status = 'PENDING'`;

test('a worker that wakes up after others have taken over writes nothing, and ends', async () => {
  const frozen = await worker();
  const ids = await submitted(8, line(0.4, 'a', 'b', 'c', 'd'));
  await cluster.until('it was in the middle', recorded, ({ steps }) => Number(steps) > 16);
  frozen.kill('SIGSTOP');
  await worker();
  await allEnded();
  const before = await recordedSteps(cluster, ids);
  const { length } = notes();
  frozen.kill('SIGCONT');
  const { status, stderr } = await frozen.finished;
  expect(status).toBe(1);
  expect(stderr).toContain('have taken this one for dead');
  expect(await recordedSteps(cluster, ids)).toEqual(before);
  expect(notes().length).toBe(length);
  expect(await expectSuccess(ids)).toBeLessThanOrEqual(8);
  expect(await cluster.query('select id from attractor.workers')).toHaveLength(1);
});

test('200 runs that wait are answered at once, each by the first of two answers', async () => {
  const dot = pipeline(
    'g [shape=hexagon, label="Ship it?"]',
    'yes [llm_provider=simulated]',
    'no [llm_provider=simulated]',
    'start -> g; yes -> exit; no -> exit',
    'g -> yes [label="[Y] Yes"]; g -> no [label="[N] No"]',
  );
  await Promise.all([worker(), worker()]);
  const ids = await Promise.all(Array.from({ length: 200 }, () => cluster.submit(dot)));
  const runs = await Promise.all(ids.map((id) => cluster.client.find(id)));
  for (const run of runs) while (run?.history.view.questions.size === 0) await run.refresh();
  await Promise.all(
    runs.map(async (run, index) => {
      const [answer, other] = index % 2 === 0 ? ['Y', 'N'] : ['N', 'Y'];
      await run?.send({ kind: 'answer', question: 'g', answer }, `${ids[index]}-1`);
      // The same message, as somebody sends it who has not heard of the first; and another answer.
      await run?.send({ kind: 'answer', question: 'g', answer }, `${ids[index]}-1`);
      await run?.send({ kind: 'answer', question: 'g', answer: other }, `${ids[index]}-2`);
    }),
  );
  await allEnded();
  for (const [index, history] of (await cluster.histories(ids)).entries()) {
    const answers = history.run.events.flatMap((event) =>
      event.type === 'InterviewCompleted' ? [event.answer.selected_option?.key] : [],
    );
    expect(answers).toEqual([index % 2 === 0 ? 'Y' : 'N']);
    expect(settledOnce(history).attempts).toContain(`/${index % 2 === 0 ? 'yes' : 'no'}#1.1`);
    // The other answer may come after the end.
    expect(history.receipts.get(`${ids[index]}-2`)?.refusal ?? 'no such question is open').toBe(
      'no such question is open',
    );
  }
});

test('a stage that kills its workers ends in a pause, and continues when it is resumed', async () => {
  // The parent of its parent, which starts commands for it.
  const killer = `kill -9 $(grep PPid /proc/$PPID/status | tr -dc 0-9)`;
  const poison = `poison [shape=parallelogram, tool_command="${note}; test -e cured || ${killer}; sleep 0.1"]`;
  const id = await cluster.submit(pipeline(...tools(0.1, 'a'), poison, 'start -> a -> poison -> exit'));
  let history = await one(id);
  for (let number = 1; history.view.status !== 'paused'; number += 1) {
    expect(number).toBeLessThan(8);
    const victim = await worker();
    const isPaused = async (): Promise<void> => {
      while (history.view.status !== 'paused') {
        await new Promise((resolve) => setTimeout(resolve, 100));
        history = await one(id);
      }
    };
    await Promise.race([victim.finished, isPaused()]);
  }
  expect(history.view.pausedReason).toContain('workers have died here, one after the other');
  expect(notesIn(cluster.directory).filter(({ key }) => key.includes('poison')).length).toBeLessThanOrEqual(
    5,
  );
  writeFileSync(path.join(cluster.directory, 'cured'), '');
  await (await cluster.client.find(id))?.send({ kind: 'resume' });
  await allEnded();
  await expectSuccess([id]);
});

test('workers that leave do not count as dead', async () => {
  const waiting = `w [shape=parallelogram, tool_command="${note}; until test -e released; do sleep 0.1; done"]`;
  const id = await cluster.submit(pipeline(waiting, 'start -> w -> exit'));
  for (let drain = 1; drain <= 5; drain += 1) {
    const leaving = await worker('--grace', '1ms');
    await waitFor('the stage to run', () => notes().length === drain);
    leaving.kill('SIGTERM');
    expect((await leaving.finished).status).toBe(0);
  }
  writeFileSync(path.join(cluster.directory, 'released'), '');
  await worker();
  await allEnded();
  expect(await expectSuccess([id])).toBe(5);
});

test(`a database that is away for ${awaySeconds} s stops nobody, and nothing runs twice`, async () => {
  const both = await Promise.all([worker(), worker()]);
  const ids = await submitted(10, line(0.5, 'a', 'b', 'c', 'd', 'e', 'f'));
  for (const mode of ['immediate', 'fast'] as const) {
    await cluster.until('runs were under way', recorded, ({ steps }) => Number(steps) > 15);
    await cluster.server.stop(mode);
    await new Promise((resolve) => setTimeout(resolve, awaySeconds * 1000));
    await cluster.server.start();
  }
  await allEnded();
  expect(await expectSuccess(ids)).toBe(0);
  for (const { output } of both) {
    expect(output()).not.toContain('is gone');
    const [lost, found] = [/the database does not answer/g, /the database answers again, after \d/g].map(
      (said) => output().match(said)?.length,
    );
    expect(lost).toBeGreaterThan(0);
    expect(found).toBe(lost);
  }
});

test('a database that is read-only for a while, as after a failover, stops nobody', async () => {
  await worker();
  const id = await cluster.submit(line(2, 'a', 'b'));
  await cluster.until('it had begun', recorded, ({ steps }) => Number(steps) > 0);
  const name = new URL(cluster.database).pathname.slice(1);
  await cluster.query(`alter database "${name}" set default_transaction_read_only = on`);
  await cluster.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  const late = cluster.submit(line(0.1, 'c'));
  await new Promise((resolve) => setTimeout(resolve, awaySeconds * 1000));
  await cluster.query(
    `begin read write; alter database "${name}" reset default_transaction_read_only; commit`,
  );
  const ids = [id, await late];
  await allEnded();
  expect(await expectSuccess(ids)).toBe(0);
});

test('a run that its worker has and does not execute goes back to the queue', async () => {
  const one = await worker('--runs', '1');
  const [busy = '', id = ''] = await submitted(2, line(3, 'a'));
  await cluster.until('the first had begun', recorded, ({ steps }) => Number(steps) > 0);
  // As after a claim whose execution did not begin.
  const [stranded] = await cluster.query(
    `update dbos.workflow_status set status = 'PENDING', executor_id = $1, owner_xid = 'lost', updated_at = 0
     where status = 'ENQUEUED' returning workflow_uuid as id`,
    [workerId(one)],
  );
  expect([busy, id]).toContain(stranded?.id);
  await allEnded();
  expect(await expectSuccess([busy, id])).toBe(0);
  expect(one.output()).toContain('1 run stood still here, and went back to the queue');
});

test('a run that its worker takes a second time is one of its runs until it ends', async () => {
  const one = await worker();
  const held = (id: string, file: string): string =>
    `${id} [shape=parallelogram, tool_command="${note}; until test -e ${file}; do sleep 0.05; done"]`;
  const id = await cluster.submit(
    pipeline(held('a', 'a.done'), held('b', 'b.done'), 'start -> a -> b -> exit'),
  );
  await waitFor('the stage to run', () => notes().length === 1);
  await cluster.query(
    `update dbos.workflow_status set status = 'ENQUEUED', owner_xid = null, started_at_epoch_ms = null where workflow_uuid = $1`,
    [id],
  );
  await waitFor('the stage to run again', () => notes().length === 2);
  writeFileSync(path.join(cluster.directory, 'a.done'), '');
  await waitFor('the next stage to run', () => notes().length === 3);
  const now = (await databaseTime(cluster)) / 1000;
  await cluster.until(
    'a sign of life came',
    `select runs from attractor.workers where beat > to_timestamp(${now})`,
    ({ runs }) => Number.isInteger(runs),
  );
  expect(await cluster.query('select runs from attractor.workers')).toEqual([{ runs: 1 }]);
  writeFileSync(path.join(cluster.directory, 'b.done'), '');
  await allEnded();
  expect(await expectSuccess([id])).toBe(1);
  expect(one.output()).not.toContain('is made again');
});

test('runs of another version wait for a worker that can repeat them, and everybody says so', async () => {
  const first = await worker();
  const id = await cluster.submit(line(2, 'a', 'b'));
  await cluster.until('it had begun', recorded, ({ steps }) => Number(steps) > 0);
  first.kill('SIGKILL');
  const isOf = async (version: string): Promise<void> => {
    await cluster.query('update dbos.workflow_status set application_version = $2 where workflow_uuid = $1', [
      id,
      version,
    ]);
    await cluster.query('update attractor.workers set version = $2 where id = $1', [
      workerId(first),
      version,
    ]);
  };
  // As a worker of an older version would have left them.
  await isOf('attractor-0');
  const other = await worker();
  const waits = '1 wait for a worker of the version attractor-0';
  await other.until('it had looked', () => other.output().includes(waits));
  const [left] = await cluster.query(
    'select executor_id, status from dbos.workflow_status where workflow_uuid = $1',
    [id],
  );
  expect(left).toEqual({ executor_id: workerId(first), status: 'PENDING' });
  await isOf(names.version);
  await allEnded();
  await expectSuccess([id]);
});
