import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Submission } from '../../../src/server/api/run.js';
import { inBrowser } from './in-browser.js';
import type { PageServer } from './page-server.js';
import { expectAccessible, keepPicture, type Sight, sights } from './screens.js';
import { gated, type Wanted } from './worlds.js';

// SEMANTICS 73a: a graph of any size can be read at once, and shows what matters of the run.

const patience = { timeout: 60_000 };

const steps = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `step_${index + 1}`);

const chain = (count: number): string => {
  const labels = steps(count).map((id) => `${id} [label="Do ${id} of them", max_retries=0]`);
  return `digraph chain { start [shape=Mdiamond] exit [shape=Msquare] ${labels.join(' ')} start -> ${steps(count).join(' -> ')} -> exit }`;
};

const fan = (count: number): string =>
  `digraph fan { start [shape=Mdiamond] exit [shape=Msquare] all [shape=component] join [shape=tripleoctagon]
   start -> all; ${steps(count)
     .map((id) => `all -> ${id} -> join`)
     .join('; ')}; join -> exit }`;

const until = { outcome: 'success', delay: '10h' };

interface GraphCase {
  readonly name: string;
  readonly run: Submission;
  readonly status: Wanted;
  /** The run is asked for it before somebody looks. */
  readonly action?: 'cancel' | 'pause';
  readonly shows: string;
}

const cases: readonly GraphCase[] = [
  { name: 'at its start', run: { dot: chain(13) }, status: 'success', shows: 'start' },
  { name: 'at its start, where it is wide', run: { dot: fan(13) }, status: 'success', shows: 'start' },
  {
    name: 'at the stage that works',
    run: { dot: chain(13), script: { nodes: { step_12: until } } },
    status: 'running',
    shows: 'step_12',
  },
  {
    name: 'at the stage that works, of many',
    run: { dot: chain(58), script: { nodes: { step_40: until } } },
    status: 'running',
    shows: 'step_40',
  },
  {
    name: 'at the branch that works',
    run: { dot: fan(13), script: { nodes: { step_13: until } } },
    status: 'running',
    shows: 'step_13',
  },
  {
    name: 'where it has failed',
    run: { dot: chain(13), script: { nodes: { step_12: { outcome: 'fail' } } } },
    status: 'fail',
    shows: 'step_12',
  },
  {
    name: 'where it was paused',
    run: { dot: chain(13), script: { nodes: { step_12: until } } },
    status: 'paused',
    action: 'pause',
    shows: 'step_12',
  },
  {
    name: 'where it was cancelled',
    run: { dot: chain(13), script: { nodes: { step_12: until } } },
    status: 'cancelled',
    action: 'cancel',
    shows: 'step_12',
  },
];

inBrowser('a graph of a run', {}, (world) => {
  const submit = async ({ run, status, action, shows }: GraphCase): Promise<string> => {
    const { server } = world;
    const { id } = await server.submit(run);
    if (action !== undefined) {
      await untilStage(server, id, shows);
      await server.post(`pipelines/${id}/${action}`, action === 'pause' ? { mode: 'now' } : {});
    }
    await world.until(id, status);
    return id;
  };

  it.each(Object.keys(sights) as Sight[])(
    'is under no tools where all of it is shown (%s)',
    async (sight) => {
      const id = await world.submit(gated, 'asking');
      const { page } = await world.open(`#/runs/${id}`, sight);
      const nodes = page.locator('.graph-frame [data-node]');
      await nodes.nth(3).waitFor({ state: 'attached' });
      for (const node of await nodes.all())
        expect(await isUnder(node, page.locator('.graph-tools'))).toBe(false);
    },
  );

  for (const sight of ['light', 'phone'] as const satisfies readonly Sight[]) {
    it.each(cases)(`is shown $name, at a size that can be read (${sight})`, async (one) => {
      const id = await submit(one);
      const { page, complaints } = await world.open(`#/runs/${id}`, sight);
      const frame = page.locator('.graph-frame');
      const shown = frame.locator(`[data-node="${one.shows}"]:not([data-state="unreached"])`);
      await shown.waitFor({ state: 'attached' });
      await expect.poll(() => isInSight(shown, frame), patience).toBe(true);
      expect(await isUnder(shown, page.locator('.graph-tools'))).toBe(false);
      const pixels = await frame.locator('svg').evaluate(textPixels);
      expect(pixels).toBeGreaterThan(9);
      await keepPicture(page, `graph-${one.name.replaceAll(/\W+/g, '-')}-${sight}`);
      await expectAccessible(page);
      expect(complaints).toEqual([]);
    });
  }
});

interface Visits {
  readonly visits: readonly unknown[];
}

async function untilStage(server: PageServer, run: string, stage: string): Promise<void> {
  for await (const _ of server.listen(`pipelines/${run}/events`)) {
    const { visits } = await server.get<Visits>(`pipelines/${run}/stages/${encodeURIComponent(stage)}`);
    if (visits.length > 0) return;
  }
}

async function isInSight(inner: Locator, outer: Locator): Promise<boolean> {
  const [box, frame] = [await inner.boundingBox(), await outer.boundingBox()];
  if (box === null || frame === null) return false;
  return (
    box.x >= frame.x &&
    box.y >= frame.y &&
    box.x + box.width <= frame.x + frame.width &&
    box.y + box.height <= frame.y + frame.height
  );
}

async function isUnder(one: Locator, other: Locator): Promise<boolean> {
  const [box, cover] = [await one.boundingBox(), await other.boundingBox()];
  if (box === null || cover === null) return true;
  return (
    box.x < cover.x + cover.width &&
    cover.x < box.x + box.width &&
    box.y < cover.y + cover.height &&
    cover.y < box.y + box.height
  );
}

interface Drawing {
  readonly clientWidth: number;
  readonly viewBox: { readonly baseVal: { readonly width: number } };
}

/** Height of the labels of stages, which are drawn 12 high. */
const textPixels = ({ clientWidth, viewBox }: Drawing): number => (12 * clientWidth) / viewBox.baseVal.width;
