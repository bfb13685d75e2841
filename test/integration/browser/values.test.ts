import { expect, it } from 'vitest';
import type { Submission } from '../../../src/server/api/run.js';
import { inBrowser } from './in-browser.js';
import { expectAccessible, keepPicture, type Sight, sights } from './screens.js';

// SEMANTICS §12, 102, 103, 106: the data of a run on the page, as values.

const dot = (statements: string): string =>
  `digraph values { graph [inputs="files: list"] start [shape=Mdiamond] exit [shape=Msquare] ${statements} }`;

const valued: Submission = {
  dot: dot(`
    plan [llm_provider=simulated, prompt="Plan \${inputs.files}", reads="gone", writes="plan: map, big: string"]
    start -> plan -> exit`),
  inputs: { files: ['a.ts', 'b.ts'] },
  script: {
    nodes: {
      plan: {
        outcome: 'success',
        context_updates: {
          plan: { steps: [{ do: 'read' }, { do: 'write' }], sure: true },
          big: 'x'.repeat(150_000),
        },
      },
    },
  },
};

const listed = (count: number): Submission => ({
  dot: dot(`
    each [shape=component, foreach="\${inputs.files}", as=file, join=meet, max_parallel=8]
    look [llm_provider=simulated, prompt="Look at \${context.file.name}", writes="verdict: good|bad"]
    meet [shape=tripleoctagon]
    start -> each -> look -> meet -> exit`),
  inputs: { files: Array.from({ length: count }, (_, index) => ({ name: `file-${index}.ts` })) },
  script: {
    nodes: {
      look: Array.from({ length: count }, (_, index) => ({
        outcome: index === 40 ? 'fail' : 'success',
        failure_reason: 'it is empty',
        context_updates: { verdict: 'good' },
      })),
    },
  },
});

const merged: Submission = {
  dot: dot(`
    fan [shape=component, on_conflict=first_wins]
    one [writes="verdict, plan: map"]
    two [writes="verdict"]
    join [shape=tripleoctagon]
    start -> fan; fan -> one -> join; fan -> two -> join; join -> exit`),
  inputs: { files: [] },
  script: {
    nodes: {
      one: { outcome: 'success', context_updates: { verdict: 'good', plan: { steps: ['read', 'write'] } } },
      two: { outcome: 'success', context_updates: { verdict: 'bad' } },
    },
  },
};

inBrowser('values in a browser', {}, (world) => {
  it.each(Object.keys(sights) as Sight[])(
    'are a tree that folds, with all of a large one (%s)',
    async (sight) => {
      const id = await world.submit(valued, 'success');
      const { page, complaints } = await world.open(`#/runs/${id}/stages/plan`, sight);
      const inputs = page.getByRole('region', { name: 'Inputs' });
      await inputs.getByText('inputs.files').waitFor();
      expect(await inputs.getByText('It had no value.').count()).toBe(1);
      expect(await inputs.locator('.tree').innerText()).toMatch(/^\[\s*"a\.ts",\s*"b\.ts"\s*\]$/);
      await page.locator('.inspector .badge', { hasText: /^simulated$/ }).waitFor();
      const outputs = page.getByRole('region', { name: 'Outputs' });
      const tree = outputs.locator('.tree').first();
      await tree.getByText('"steps": [').click();
      await tree.getByText('2 items ]').waitFor();
      await tree.getByText('"steps": [').click();
      await tree.getByText('"write"').waitFor();
      await outputs.getByRole('button', { name: /^Show all 15\d(\.\d)? kB/ }).click();
      await outputs.getByRole('button', { name: 'Show all 150,000 characters' }).click();
      await keepPicture(page, `values-${sight}`);
      await expectAccessible(page);
      expect(complaints).toEqual([]);
    },
  );

  it.each(Object.keys(sights) as Sight[])('of a list are a table with a row an item (%s)', async (sight) => {
    const id = await world.submit(listed(50), 'success');
    const { page, complaints } = await world.open(`#/runs/${id}/stages/each`, sight);
    const items = page.getByRole('region', { name: 'Items' });
    const row = items.locator('.branch-row');
    await items.getByText('50 rows').waitFor();
    expect(await row.first().innerText()).toMatch(
      /^1\s*succeeded\s*\{"name":"file-0\.ts"\}\s*\S+\s*verdict: good$/,
    );
    await keepPicture(page, `items-${sight}`);
    await expectAccessible(page);
    await items.getByRole('combobox').selectOption({ label: 'failed: 1' });
    await items.getByText('1 row', { exact: true }).waitFor();
    expect(await row.innerText()).toContain('it is empty');
    await row.click();
    await page.waitForURL(/stages\/look\?.*visit=41/);
    await page.getByRole('region', { name: 'Inputs' }).getByText('item of the branch').waitFor();
    expect(complaints).toEqual([]);
  });

  it.each(Object.keys(sights) as Sight[])(
    '107: that were merged at a join say of which branch they are (%s)',
    async (sight) => {
      const id = await world.submit(merged, 'success');
      const { page, complaints } = await world.open(`#/runs/${id}/stages/fan`, sight);
      const values = page.getByRole('region', { name: 'Outputs' }).locator('.values > div');
      await values.nth(1).waitFor();
      expect(await values.locator('dt').allTextContents()).toEqual([
        'verdict merged from one, the first of 2 branches that set it',
        'plan merged from one',
      ]);
      expect(await values.first().locator('.text').innerText()).toBe('good');
      expect(await values.nth(1).locator('.tree').innerText()).toContain('"steps": [');
      await keepPicture(page, `values-merged-${sight}`);
      await expectAccessible(page);
      expect(complaints).toEqual([]);
    },
  );

  it('of a long list are found, and few of them are elements', async () => {
    const id = await world.submit(listed(2500), 'success');
    const { page } = await world.open(`#/runs/${id}/stages/each`);
    const items = page.getByRole('region', { name: 'Items' });
    await items.getByText('2500 rows').waitFor();
    expect(await items.locator('.branch-row').count()).toBeLessThan(60);
    await items.getByPlaceholder('Item or result').fill('file-17.ts');
    await items.getByText('1 row', { exact: true }).waitFor();
    await items.locator('.branch-row').click();
    // Older than the visits that a stage shows of itself.
    await page.getByText('item of the branch').waitFor();
    expect(await page.locator('.inspector .tree').first().innerText()).toContain('"file-17.ts"');
  });
});
