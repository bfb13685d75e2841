import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { RunList } from '../../src/server/api/run.js';
import { pipeline } from '../run/harness.js';
import { liveCluster, workerId } from './live-cluster.js';
import { asks, is, serveCluster } from './serve-cluster.js';

const cluster = await liveCluster();
const { query, directory, worker } = cluster;

const gate = pipeline(
  'a [shape=hexagon, label="Begin?"]',
  'b [shape=hexagon, label="Ship?"]',
  'start -> a',
  'a -> b [label="[Y] Yes"]',
  'b -> exit [label="[Y] Yes"]',
);

beforeAll(async () => {
  await query('create role team_a login in role attractor_client');
  await query('create role team_b login in role attractor_client');
});

test('a run is watched over the death of its worker and a restart of the server', async () => {
  const workers = [await worker(), await worker()];
  const before = await serveCluster(cluster);
  const id = await before.submit(gate);
  const stream = before.ask(`/pipelines/${id}/events`);
  const first = await before.until(id, asks('a'));
  const owner = workers.find((one) => workerId(one) === first.process?.worker);
  expect(owner).toBeDefined();
  owner?.kill('SIGKILL');
  const other = await before.until(
    id,
    (run) => run.process?.worker !== first.process?.worker && asks('a')(run),
  );
  expect(other.process?.worker).toMatch(/^\S+$/);
  const answer = await before.ask(`/pipelines/${id}/questions/a/answer`, { answer: 'Y' });
  expect(await answer.json()).toMatchObject({ value: 'Y', delivery: 'taken' });
  await before.until(id, asks('b'));
  before.process.kill('SIGTERM');
  await before.process.finished;
  await (await stream).text().catch(() => undefined);
  const after = await serveCluster(cluster);
  const [listed] = (await after.get<RunList>('/pipelines')).runs;
  expect(listed).toMatchObject({
    id,
    status: 'running',
    open_questions: 1,
    only_asks: true,
    worker: other.process?.worker,
  });
  // A worker tells its load along with its next sign of life.
  await cluster.until('its load was told', 'select runs from attractor.workers', ({ runs }) => runs === 1);
  expect(await after.get('/workers')).toMatchObject({ workers: [{ id: other.process?.worker, runs: 1 }] });
  await after.ask(`/pipelines/${id}/questions/b/answer`, { answer: 'Y' });
  await after.until(id, is('success'));
  const events = await (await after.ask(`/pipelines/${id}/events`)).text();
  const numbers = [...events.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(events).toContain('event: PipelineCompleted');
});

test('the files of a run come from the directory that the workers share', async () => {
  mkdirSync(path.join(directory, 'shared'));
  await worker(['--files', 'shared', '--labels', 'shared']);
  const server = await serveCluster(cluster, { args: ['--files', 'shared'] });
  const dot = pipeline('graph [requires="shared"]', 'a', 'start -> a -> exit');
  const id = await server.submit(dot, { simulate: true });
  await server.until(id, is('success'));
  const response = await server.ask(`/pipelines/${id}/stages/a/files/response.md`);
  expect(await response.text()).toContain('[Simulated]');
  expect(await query('select from attractor.files where run_id = $1', [id])).toEqual([]);
});

test('a server shows the runs of the tenant whose login it has', async () => {
  await worker();
  const places = ['team_a', 'team_b'].map((name) => path.join(directory, name));
  const [one, other] = await Promise.all(
    places.map((place) => {
      mkdirSync(place);
      return serveCluster(cluster, { user: path.basename(place), place });
    }),
  );
  if (one === undefined || other === undefined) throw new Error('expected two servers');
  const id = await one.submit(gate);
  await one.until(id, asks('a'));
  expect((await one.get<RunList>('/pipelines')).runs.map((run) => run.id)).toEqual([id]);
  expect((await other.get<RunList>('/pipelines')).runs).toEqual([]);
  for (const [address, body] of [
    [`/pipelines/${id}`, undefined],
    [`/pipelines/${id}/source`, undefined],
    [`/pipelines/${id}/cancel`, {}],
    [`/pipelines/${id}/questions/a/answer`, { answer: 'Y' }],
  ] as const)
    expect((await other.ask(address, body)).status).toBe(404);
  expect((await one.ask(`/pipelines/${id}/cancel`, {})).status).toBe(202);
  await one.until(id, is('cancelled'));
});
