import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { pipeline } from '../run/harness.js';
import { expectNothingAgain, notesIn, settledOnce } from './expectations.js';
import { databaseTime, liveCluster, openRuns, recordedSteps, tools, workerId } from './live-cluster.js';

const cluster = await liveCluster();

const line = pipeline(...tools(0.3, 'a', 'b', 'c'), 'start -> a -> b -> c -> exit');

const gate = pipeline(
  'g [shape=hexagon, label="Ship it?"]',
  ...tools(0.1, 'ship', 'drop'),
  'start -> g',
  'g -> ship [label="[Y] Yes"]',
  'g -> drop [label="[N] No"]',
  'ship -> exit',
  'drop -> exit',
);

test('a run is submitted, followed and answered at the command line', async () => {
  writeFileSync(path.join(cluster.directory, 'gate.dot'), gate);
  const worker = await cluster.worker();
  const followed = cluster.start(['run', 'gate.dot', '--answer', 'g=Y']);
  const { status, stdout, stderr } = await followed.finished;
  expect(status, stderr).toBe(0);
  expect(stdout + stderr).toMatch(/ship/);
  worker.kill('SIGTERM');
  expect((await worker.finished).status).toBe(0);
  expect(await cluster.query('select id from attractor.workers')).toEqual([]);
});

test('30 runs go on where their worker was killed, and nothing that was recorded is done again', async () => {
  const workers = await Promise.all([cluster.worker(), cluster.worker()]);
  const ids = await Promise.all(Array.from({ length: 30 }, () => cluster.submit(line)));
  // One of them may take most of the runs before the other looks.
  const busiest = `select executor_id as id, count(*)::int as runs,
    (select count(*)::int from dbos.operation_outputs) as steps
    from dbos.workflow_status where status = 'PENDING' group by executor_id order by runs desc limit 1`;
  let dead = '';
  await cluster.until('a worker was busy', busiest, ({ id, runs, steps }) => {
    dead = String(id);
    return Number(runs) > 5 && Number(steps) > 40;
  });
  const first = workers.find((one) => workerId(one) === dead);
  const second = workers.find((one) => one !== first);
  const ofDead = `select count(*)::int as runs from dbos.workflow_status
    where executor_id = '${dead}' and status = 'PENDING'`;
  const recorded = await recordedSteps(cluster, ids);
  const killed = await databaseTime(cluster);
  first?.kill('SIGKILL');
  await cluster.until('the second worker had its runs', ofDead, ({ runs }) => runs === 0);
  expect((await databaseTime(cluster)) - killed).toBeLessThan(8000);
  await cluster.until('all runs had ended', openRuns, ({ open }) => open === 0);

  const after = await recordedSteps(cluster, ids);
  for (const [step, output] of recorded) expect(after.get(step)).toBe(output);
  const settled = (await cluster.histories(ids)).map((history) => {
    expect(history.view.status).toBe('success');
    return settledOnce(history);
  });
  const attempts = ['start#1.1', 'a#1.1', 'b#1.1', 'c#1.1', 'exit#1.1'].map((name) => `/${name}`).sort();
  for (const one of settled) expect(one.attempts).toEqual(attempts);
  const times = new Map(settled.flatMap(({ times }) => [...times]));
  const notes = notesIn(cluster.directory).filter(({ key }) => times.has(key));
  expect(new Set(notes.map(({ key }) => key)).size).toBe(90);
  expect(expectNothingAgain(times, notes)).toBeLessThanOrEqual(30);
  expect(second?.output()).toContain(`worker ${dead} is gone`);
});
