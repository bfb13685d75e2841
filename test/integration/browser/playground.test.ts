import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { simulate } from '../../../src/run/simulate/simulate.js';
import { readScript } from '../../../src/run-directory/simulation-script.js';
import { checkedPipeline } from '../../server/asked-server.js';
import { inBrowser } from './in-browser.js';
import { content, looped, openPlayground, patience, problems, valued, write } from './playground-page.js';
import { expectAccessible, keepPicture, type Sight, sights } from './screens.js';

// §9.5: the playground of the page, in a real browser against a real server.

const path = (page: Page) => page.locator('.path li').allTextContents();

inBrowser('the playground in a browser', {}, (world) => {
  it.each(Object.keys(sights) as Sight[])(
    'shows text, picture and simulator, and keeps nobody out (%s)',
    async (sight) => {
      const { page, complaints } = await openPlayground(world, sight);
      await write(page, looped.replace('max_retries=1', 'max_retires=1'));
      await problems(page).first().waitFor();
      await page.locator('.playground-picture svg.attractor, .playground-picture svg').first().waitFor();
      await page.getByRole('group', { name: 'Stages of looped' }).waitFor();
      await keepPicture(page, `playground-${sight}`);
      await expectAccessible(page);
      await write(page, looped);
      await page.getByRole('tab', { name: 'Simulator' }).click();
      await page.getByRole('form', { name: 'Outcome of work' }).waitFor();
      await page.getByRole('button', { name: 'Continue from work' }).click();
      await page.getByRole('form', { name: 'Outcome of check' }).waitFor();
      await page.getByRole('radio', { name: 'fail' }).check();
      await page.getByRole('button', { name: 'Continue from check' }).click();
      await page.getByRole('form', { name: 'Outcome of work' }).waitFor();
      await page.locator('.simulator-picture [data-state="running"]').waitFor();
      const ends = await page
        .locator('.path li')
        .evaluateAll((visits: { dataset: { status?: string } }[]) =>
          visits.map(({ dataset }) => dataset.status),
        );
      expect(ends).toEqual(['success', 'success', 'fail', 'running']);
      await keepPicture(page, `simulator-${sight}`);
      await expectAccessible(page);
      expect(complaints).toEqual([]);
    },
  );

  it('keeps the text over a reload, and the last good picture while it is broken', async () => {
    const { page } = await openPlayground(world);
    await write(page, looped);
    await page.getByRole('group', { name: 'Stages of looped' }).waitFor();
    await write(page, 'digraph looped { start [');
    await page.getByText('This is the last valid picture').waitFor();
    expect(await page.locator('.playground-picture svg').count()).toBeGreaterThan(0);
    await page.reload();
    await content(page).waitFor();
    expect(await content(page).textContent()).toBe('digraph looped { start [');
  });

  it('steps through a pipeline, says why, goes back, and exports a script that does the same', async () => {
    const { page } = await openPlayground(world);
    await write(page, looped);
    await page.getByRole('tab', { name: 'Simulator' }).click();
    await page.getByRole('button', { name: 'Continue from work' }).click();
    const check = page.getByRole('form', { name: 'Outcome of check' });
    await check.getByText('Context and response').click();
    await check.getByLabel(/^Context updates/).fill('tests.red=2');
    await page.getByRole('button', { name: 'Continue from check' }).click();
    await page.getByText('context.tests.red is 2').first().waitFor();
    expect(await path(page)).toEqual(['start', 'work', 'check', 'work']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await check.waitFor();
    expect(await path(page)).toEqual(['start', 'work', 'check']);
    await page.getByRole('button', { name: 'Redo' }).click();
    await expect.poll(() => path(page), patience).toEqual(['start', 'work', 'check', 'work']);
    const work = page.getByRole('form', { name: 'Outcome of work' });
    await work.getByRole('radio', { name: 'retry' }).check();
    await page.getByRole('button', { name: 'Continue from work' }).click();
    await page.getByRole('button', { name: /^Let .* pass/ }).click();
    await page.getByRole('button', { name: 'Run to the next choice' }).click();
    await check.getByText('Context and response').click();
    await check.getByLabel(/^Context updates/).fill('tests.red=0');
    await page.getByRole('button', { name: 'Continue from check' }).click();
    await page.getByRole('button', { name: '[A] Approve' }).click();
    await page.getByText('The run has ended: success.').waitFor();
    const walked = await path(page);
    expect(walked).toEqual(['start', 'work', 'check', 'work', 'check', 'gate', 'exit']);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export script' }).click(),
    ]);
    const script = readFileSync(await download.path(), 'utf8');
    const again = await simulate(looped, { script: readScript(parse(script), 'the export') });
    expect(again).toMatchObject({ status: 'success', path: walked });
  });

  it.each(Object.keys(sights) as Sight[])(
    '101, 106: simulates with inputs, names items, and shows values as trees (%s)',
    async (sight) => {
      const { page, complaints } = await openPlayground(world, sight);
      await write(page, valued);
      await page.getByText('this pipeline can run').waitFor();
      await page.getByRole('tab', { name: 'Simulator' }).click();
      const plan = page.getByRole('form', { name: 'Outcome of plan' });
      await plan.getByText('Context and response').click();
      await plan
        .getByLabel(/^Context updates/)
        .fill('plan={"steps":[{"do":"read"},{"do":"write"}],"sure":true}');
      await page.getByRole('button', { name: 'Continue from plan' }).click();
      await page.getByText(/changes of the context/).click();
      const tree = page.locator('.changes ins .tree');
      await tree.getByText('"steps": [').click();
      await tree.getByText('2 items ]').waitFor();
      await tree.getByText('"steps": [').click();
      await tree.getByText('"write"').waitFor();
      await page.getByRole('button', { name: 'Continue from work' }).click();
      const looks = page.getByRole('form', { name: 'Outcome of look' });
      await looks.nth(1).getByText('branch look#2 · file: {"name":"b.ts"}').waitFor();
      await keepPicture(page, `simulator-values-${sight}`);
      await expectAccessible(page);
      await page.getByText('Inputs', { exact: true }).click();
      const inputs = page.getByRole('form', { name: 'Inputs of the simulation' });
      await inputs.getByLabel(/^files/).fill('no list');
      await inputs.getByRole('button', { name: 'Restart with these inputs' }).click();
      await inputs
        .getByRole('alert')
        .getByText(/^files: .*list/)
        .waitFor();
      await inputs.getByLabel(/^files/).fill('["x.ts", "y.ts", "z.ts"]');
      await inputs.getByRole('button', { name: 'Restart with these inputs' }).click();
      await page.getByRole('button', { name: 'Continue from plan' }).click();
      await page.getByRole('button', { name: 'Continue from work' }).click();
      await looks.nth(2).getByText('file: z.ts').waitFor();
      expect(complaints).toEqual([]);
    },
  );

  it('keeps what somebody chooses while another text is on its way to the simulator', async () => {
    const { page } = await openPlayground(world);
    await write(page, looped);
    await page.getByRole('tab', { name: 'Simulator' }).click();
    await page.getByRole('button', { name: 'Continue from work' }).waitFor();
    await page.evaluate(`new MutationObserver((_changes, observer) => {
      if (document.querySelector('.simulator-old') === null) return;
      observer.disconnect();
      document.querySelector('form[aria-label="Outcome of work"]').requestSubmit();
    }).observe(document.body, { childList: true, subtree: true })`);
    await write(page, looped.replace('Check it', 'Check it well'));
    await page.getByRole('form', { name: 'Outcome of check' }).waitFor();
    await page.getByText('The text has changed since this simulation began.').waitFor();
    expect(await path(page)).toEqual(['start', 'work', 'check']);
  });

  it('runs the pipeline on the server, and says what that does not allow', async () => {
    const { page } = await openPlayground(world);
    await write(
      page,
      looped.replace('check [prompt="Check it"]', 'check [shape=parallelogram, tool_command="true"]'),
    );
    const run = page.getByRole('button', { name: 'Run …' });
    await run.click();
    const dialog = page.getByRole('dialog', { name: 'Run this pipeline' });
    await dialog.waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await dialog.getByText('not_allowed').first().waitFor();
    await keepPicture(page, 'playground-refused');
    await page.keyboard.press('Escape');
    await write(page, looped);
    await run.click();
    await dialog.getByLabel(/^Inputs/).fill('tests.red=0');
    await dialog.getByLabel(/^Simulate/).check();
    await dialog.getByLabel('Budget in US dollars').fill('none');
    await dialog.getByLabel('Budgets of stages').fill('work=2.50');
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    expect((await asked).postDataJSON()).toMatchObject({
      budget_usd: 'none',
      stage_budgets: { work: { usd: 2.5 } },
    });
    await page.waitForURL(/#\/runs\/.*looped/);
  });

  it('101: asks for the inputs that a pipeline declares, by their types', async () => {
    const { page } = await openPlayground(world);
    const inputs = 'version: string, channel: beta|stable = beta, limit: integer, tags: list?';
    await write(
      page,
      looped
        .replace('start [', `graph [inputs="${inputs}"]\n  start [`)
        .replace('Do it', 'Do ${inputs.version}'),
    );
    await page.getByRole('button', { name: 'Run …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run this pipeline' });
    await dialog.getByLabel(/^version/).fill('1.10');
    await dialog.getByLabel(/^channel/).selectOption('stable');
    await dialog.getByLabel(/^limit/).fill('ten');
    await dialog.getByLabel(/^Simulate/).check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await dialog.getByText('limit: expected an integer, found "ten".').waitFor();
    await keepPicture(page, 'playground-inputs');
    await dialog.getByLabel(/^limit/).fill('3');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL(/#\/runs\/.*looped/);
  });

  it('73: shows texts of authors as texts, and runs none of them', async () => {
    const { page, complaints } = await openPlayground(world);
    const evil = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    await write(
      page,
      looped.replace('label="Ship it?"', `label="${evil}"`).replace('[A] Approve', `[A] ${evil}`),
    );
    await page.getByRole('tab', { name: 'Simulator' }).click();
    await page.getByRole('button', { name: 'Continue from work' }).click();
    const check = page.getByRole('form', { name: 'Outcome of check' });
    await check.getByText('Context and response').click();
    await check.getByLabel(/^Context updates/).fill(`tests.red=0\n${evil.replaceAll('=', '')}=${evil}`);
    await page.getByRole('button', { name: 'Continue from check' }).click();
    await page.getByRole('form', { name: 'Question of gate' }).getByText(evil).first().waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each(Object.keys(sights) as Sight[])(
    'shows the properties, and the run that breaks one (%s)',
    async (sight) => {
      const { page, complaints } = await openPlayground(world, sight);
      await write(page, checkedPipeline);
      await page.getByRole('tab', { name: 'Properties' }).click();
      const verdicts = page.locator('.verdict');
      await verdicts.nth(2).waitFor();
      expect(await page.locator('.verdict-word').allTextContents()).toEqual([
        'holds',
        'broken',
        'not decided',
      ]);
      expect(await page.locator('.verdict-path').allTextContents()).toEqual(['start → work']);
      await page.locator('.properties svg [data-state="failed"]').first().waitFor();
      await keepPicture(page, `properties-${sight}`);
      await expectAccessible(page);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save script' }).click(),
      ]);
      const script = readScript(JSON.parse(readFileSync(await download.path(), 'utf8')), 'saved');
      const result = await simulate(checkedPipeline, { script });
      expect(result).toMatchObject({ status: 'fail' });
      expect(complaints).toEqual([]);
    },
  );
});
