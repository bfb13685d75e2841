import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runFiles } from '../../src/run-directory/run-files.js';
import { pipeline } from '../run/harness.js';
import { liveCluster, openRuns, tools } from './live-cluster.js';

const cluster = await liveCluster();

const gate = pipeline(
  'g [shape=hexagon]',
  ...tools(0.1, 'ship'),
  'start -> g',
  'g -> ship [label="[Y] Yes"]',
  'ship -> exit',
);

/** Submits a run, and waits until its worker has released it: it keeps no lock. */
async function released(): Promise<string> {
  const id = await cluster.submit(gate);
  const lock = path.join(cluster.directory, 'runs', id, runFiles.lock);
  await until(async () => (await events(id)).includes('InterviewStarted'));
  await until(async () => !existsSync(lock));
  return id;
}

async function events(id: string): Promise<readonly string[]> {
  const [history] = await cluster.histories([id]);
  return (history?.run.events ?? []).map(({ type }) => type);
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  while (!(await isReached())) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function answer(id: string): Promise<void> {
  const run = await cluster.client.find(id);
  await run?.send({ kind: 'answer', question: 'g', answer: 'Y' });
}

test('a run that its worker has released continues at an answer, there or on another worker', async () => {
  const first = await cluster.worker();
  const [one, other] = await Promise.all([released(), released()]);
  await answer(one);
  await until(async () => (await events(one)).includes('PipelineCompleted'));
  expect(await events(one)).not.toContain('PipelineResumed');

  first.kill('SIGKILL');
  await cluster.worker();
  await answer(other);
  await cluster.until('all runs had ended', openRuns, ({ open }) => open === 0);
  expect((await events(other)).filter((type) => type.startsWith('Pipeline'))).toEqual([
    'PipelineStarted',
    'PipelineResumed',
    'PipelineCompleted',
  ]);
});
