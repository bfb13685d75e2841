import { beforeAll, expect, it } from 'vitest';
import { inBrowser } from './in-browser.js';
import { expectAccessible, keepPicture } from './screens.js';

// §9.5: pipelines larger, and with longer names, than anybody thinks of; the screen stays as wide as its window.

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

inBrowser('what nobody thinks of', {}, (world) => {
  let asking = '';
  let large = '';

  beforeAll(async () => {
    asking = await world.submit(longNames, 'asking');
    large = await world.submit(manyStages, 'success');
  });

  it.each(['light', 'phone'] as const)('has room on every screen (%s)', async (sight) => {
    const { page, complaints } = await world.open(`#/runs/${asking}`, sight);
    await page.getByRole('button', { name: /Yes, with all/ }).waitFor();
    await page.locator('.graph-frame svg').waitFor();
    await keepPicture(page, `extreme-names-${sight}`);
    await expectAccessible(page);
    // The other screens tell of its question.
    for (const hash of ['#/', '#/playground']) {
      await page.goto(`${world.server.url}/${hash}`);
      await page.locator('.gate-bar').getByRole('link', { name: endlessName }).waitFor();
      await expectAccessible(page);
    }
    expect(complaints).toEqual([]);
  });

  it.each(['light', 'phone'] as const)(
    '73a: shows something of a picture that is very tall (%s)',
    async (sight) => {
      const { page, complaints } = await world.open(`#/runs/${large}`, sight);
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
