import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildBundle } from '../docs/built.js';
import { lacksChromium, startChromium } from './chromium.js';
import { type PageServer, startPageServer } from './page-server.js';
import { closeWindows, expectAccessible, keepPicture, openPage } from './screens.js';
import { submitAsking, submitUntil } from './worlds.js';

// §9.5: pipelines larger, and with longer names, than anybody thinks of; the screen stays as wide as its window.

vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });

/** On a machine that is busy with other tests, everything takes its time. */
const patience = { timeout: 60_000 };

const endlessName = 'a_name_without_any_place_to_break_it_'.repeat(6);

const pipeline = (name: string, body: string): { readonly dot: string } => ({
  dot: `digraph ${name} { graph [goal="${'Goal '.repeat(60)}"] start [shape=Mdiamond] exit [shape=Msquare] ${body} }`,
});

const longNames = pipeline(
  endlessName,
  `${endlessName}
   gate [shape=hexagon, label="${'Shall we really do this now? '.repeat(12)}"]
   start -> ${endlessName} -> gate
   gate -> exit [label="[Y] ${'Yes, with all that belongs to it '.repeat(4)}"]
   gate -> ${endlessName} [label="[N] ${endlessName}"]`,
);

const many = Array.from({ length: 300 }, (_, index) => `n${index}`);
const manyStages = pipeline('many', `start -> ${many.join(' -> ')} -> exit`);

describe.skipIf(lacksChromium)('what nobody thinks of', () => {
  let browser: Browser;
  let server: PageServer;
  let asking = '';
  let large = '';

  beforeAll(async () => {
    buildBundle();
    browser = await startChromium();
    server = await startPageServer();
    asking = await submitAsking(server, longNames);
    large = await submitUntil(server, manyStages, 'success');
  });
  afterEach(({ task }) => closeWindows(browser, task));
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  it.each(['light', 'phone'] as const)('has room on every screen (%s)', async (sight) => {
    const { page, complaints } = await openPage(browser, server, `#/runs/${asking}`, sight);
    await page.getByRole('button', { name: /Yes, with all/ }).waitFor();
    await page.locator('.graph-frame svg').waitFor();
    await keepPicture(page, `extreme-names-${sight}`);
    await expectAccessible(page);
    // The other screens tell of its question.
    for (const hash of ['#/', '#/playground']) {
      await page.goto(`${server.url}/${hash}`);
      await page.locator('.gate-bar').getByRole('link', { name: endlessName }).waitFor();
      await expectAccessible(page);
    }
    expect(complaints).toEqual([]);
  });

  it.each(['light', 'phone'] as const)(
    '73a: shows something of a picture that is very tall (%s)',
    async (sight) => {
      const { page, complaints } = await openPage(browser, server, `#/runs/${large}`, sight);
      const first = page.locator('.graph-frame [data-node="start"][data-state="done"]');
      await first.waitFor();
      const width = async (): Promise<number> => (await first.boundingBox())?.width ?? 0;
      await expect.poll(width, patience).toBeGreaterThan(20);
      await keepPicture(page, `extreme-stages-${sight}`);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Show all of it' }).first().click();
      await expect.poll(width, patience).toBeLessThan(20);
      expect(complaints).toEqual([]);
    },
  );
});
