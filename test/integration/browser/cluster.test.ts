import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { ClusterWorker } from '../../../src/cluster/cluster.js';
import { systemClock } from '../../../src/run/driver/clock.js';
import { HandlerRegistry } from '../../../src/run/driver/handler-registry.js';
import type { RunStatusName, Submission } from '../../../src/server/api/run.js';
import { MemoryCluster } from '../../cluster/memory-cluster.js';
import { temporaryDirectory } from '../process/attractor.js';
import { inBrowser } from './in-browser.js';
import { startPageServer } from './page-server.js';
import { expectAccessible, keepPicture, type Sight, sights } from './screens.js';

// SEMANTICS 140 and 141: workers and runs of a cluster on the page.

const now = Date.now();
const minute = 60_000;

function workerOn(host: string, pid: number, facts: Partial<ClusterWorker> = {}): ClusterWorker {
  return {
    id: `${host}-${pid}-0a1b2c3d`,
    host,
    pid,
    labels: [],
    max_runs: 50,
    runs: 0,
    stages: 0,
    max_stages: 20,
    version: 'attractor-2',
    started: new Date(now - 90 * minute),
    beat: new Date(now),
    leaving: false,
    ...facts,
  };
}

const workers: readonly ClusterWorker[] = [
  workerOn('build-1', 4711, { runs: 12, stages: 3 }),
  workerOn('build-2.internal.example.org', 815, { labels: ['gpu', 'linux'], max_runs: 4, runs: 4 }),
  workerOn('laptop', 99, { max_runs: 10, runs: 8, leaving: true }),
];

/** `migrate` fails until its input names a table. */
const migration: Submission = {
  dot: `digraph migration {
    graph [goal="Move the accounts to the new schema", inputs="table: string?"]
    start [shape=Mdiamond]
    exit [shape=Msquare]
    prepare [label="Prepare"]
    migrate [label="Migrate", max_retries=0]
    start -> prepare -> migrate -> exit
  }`,
};

const gate: Submission = {
  dot: `digraph release {
    graph [goal="Ship version 2.4"]
    start [shape=Mdiamond]
    exit [shape=Msquare]
    gate [shape=hexagon, label="Ship it?"]
    start -> gate
    gate -> exit [label="[A] Approve"]
  }`,
};

const handlers = new HandlerRegistry().register('codergen', {
  execute: async ({ node, context }) =>
    node.id === 'migrate' && context.get('inputs.table') !== 'accounts'
      ? { status: 'fail', failure_reason: 'there is no table ""' }
      : { status: 'success' },
});

const cluster = new MemoryCluster(temporaryDirectory(), { handlers, clock: systemClock });

async function submitAndTake(submission: Submission, submit: (given: Submission) => Promise<string>) {
  const id = await submit(submission);
  return { id, end: cluster.take(id) };
}

inBrowser(
  'a cluster in a browser',
  () => startPageServer({}, cluster),
  (world) => {
    const submit = async (given: Submission): Promise<string> => (await world.server.submit(given)).id;

    beforeAll(() => cluster.atWork.push(...workers));

    it.each(Object.keys(sights) as Sight[])('shows its workers, and keeps nobody out (%s)', async (sight) => {
      const { page, complaints } = await world.open('', sight);
      await page.getByRole('link', { name: 'Workers' }).click();
      await page.getByRole('heading', { name: 'Workers' }).waitFor();
      await page.getByText('24 runs, room for 38 more').waitFor();
      const rows = page.locator('tbody tr');
      expect(await rows.count()).toBe(3);
      await rows.nth(0).getByText('3 of 20').waitFor();
      await rows.nth(1).getByText('4 of 4').waitFor();
      expect(await rows.nth(1).locator('.badge').allTextContents()).toEqual(['gpu', 'linux']);
      await rows.nth(2).getByText('leaving').waitFor();
      await keepPicture(page, `workers-${sight}`);
      await expectAccessible(page);
      expect(complaints).toEqual([]);
    });

    it('says what to do if there is no worker', async () => {
      const { page } = await world.open('#/workers', 'dark');
      await page.getByText('24 runs').waitFor();
      cluster.atWork.length = 0;
      await page.getByRole('heading', { name: 'No worker is at work' }).waitFor();
      await keepPicture(page, 'workers-none-dark');
      await expectAccessible(page);
      cluster.atWork.push(...workers);
      await page.getByText('24 runs').waitFor();
    });

    it('resumes a run that has failed, with another input, from the page', async () => {
      const { id, end } = await submitAndTake(migration, submit);
      await end;
      const { page, complaints } = await world.open(`#/runs/${id}`);
      await page.getByText('there is no table').first().waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      const dialog = page.getByRole('dialog', { name: 'Resume migration' });
      await dialog.getByLabel('From').selectOption('prepare');
      await dialog.getByText('Other inputs').click();
      await dialog.getByLabel('table').fill('accounts');
      await keepPicture(page, 'cluster-resume-light');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Resume' }).click();
      await dialog.waitFor({ state: 'detached' });
      await world.until(id, 'success');
      await expectStatus(page, 'success');
      expect(complaints).toEqual([]);
    });

    it('forks a run from the page, and goes to the new one, which waits for a worker and asks there', async () => {
      const { id } = await submitAndTake(gate, submit);
      await world.until(id, 'asking');
      const { page } = await world.open(`#/runs/${id}`, 'dark');
      await page.locator('.facts').getByText('host-7-abc').waitFor();
      await keepPicture(page, 'cluster-run-dark');
      await page.getByRole('button', { name: 'Fork' }).click();
      const dialog = page.getByRole('dialog', { name: 'Fork release' });
      await dialog.getByRole('radio', { name: 'Before the last visit of a node' }).check();
      await dialog.getByRole('combobox', { name: 'Node' }).selectOption('gate');
      await dialog.getByRole('button', { name: 'Fork' }).click();
      await dialog.waitFor({ state: 'detached' });
      const fork = /#\/runs\/([\w-]+)/.exec(page.url())?.[1] ?? '';
      expect(fork).not.toBe(id);
      void cluster.take(fork);
      await world.until(fork, 'asking');
      await page.getByRole('button', { name: 'Approve' }).click();
      await world.until(fork, 'success');
      await expectStatus(page, 'success');
    });

    it('lists what waits for a worker, and which worker has what', async () => {
      cluster.awaited = 'a worker with --labels gpu';
      await submit(gate);
      cluster.awaited = undefined;
      const { id } = await submitAndTake(gate, submit);
      await world.until(id, 'asking');
      const { page } = await world.open();
      await page.getByText('waits for a worker with --labels gpu').waitFor();
      await page.getByText('host-7-abc').first().waitFor();
      await keepPicture(page, 'cluster-runs-light');
      await expectAccessible(page);
    });
  },
);

async function expectStatus(page: Page, status: RunStatusName): Promise<void> {
  await page.locator(`[data-status="${status}"]`).first().waitFor();
}
