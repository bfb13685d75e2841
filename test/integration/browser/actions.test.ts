import { expect, it } from 'vitest';
import type { RunDetail, Submission } from '../../../src/server/api/run.js';
import { formatDuration } from '../../../src/view/format-duration.js';
import { inBrowser } from './in-browser.js';
import { expectAccessible, keepPicture } from './screens.js';
import { cancelRun, endless, gated } from './worlds.js';

// §9.5, SEMANTICS 66b and 76: what is done with runs on the page.

/** Stays before a fan-out. */
const fanned: Submission = {
  dot: `digraph fanned {
    start [shape=Mdiamond]
    exit [shape=Msquare]
    wait [label="Wait"]
    fan [shape=component]
    join [shape=tripleoctagon]
    start -> wait -> fan
    fan -> a -> join
    fan -> b -> join
    join -> exit
  }`,
  script: { nodes: { wait: { outcome: 'success', delay: '10h' } } },
};

inBrowser('actions in a browser', {}, (world) => {
  it('a run is paused now, and resumed', async () => {
    const id = await world.submit(endless, 'running');
    const { page } = await world.open(`#/runs/${id}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause nightly_index' });
    await dialog.getByRole('radio', { name: 'Now', exact: true }).check();
    await dialog.getByLabel('Reason').fill('lunch');
    await keepPicture(page, 'pause-light');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await world.until(id, 'paused');
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    // It took the time up to its last event, however long ago that was.
    const { start_time, last_event_time } = await world.server.get<RunDetail>(`pipelines/${id}`);
    const took = formatDuration(Date.parse(last_event_time ?? '') - Date.parse(start_time));
    await page.clock.install();
    await page.clock.fastForward('10:00');
    await page.locator('.facts').getByText(took, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    const resume = page.getByRole('dialog', { name: 'Resume nightly_index' });
    await resume.getByLabel('Budget in US dollars').fill('much');
    await resume.getByText('found “much”').waitFor();
    await expectAccessible(page);
    await resume.getByLabel('Budget in US dollars').fill('none');
    await resume.getByLabel('Budgets of stages').fill('index=1.50, indx');
    await resume.getByText('found “indx”').waitFor();
    await keepPicture(page, 'resume-light');
    await resume.getByLabel('Budgets of stages').fill('index=1.50, index=9000tokens');
    const asked = page.waitForRequest((request) => request.url().endsWith('/resume'));
    await resume.getByRole('button', { name: 'Resume' }).click();
    expect((await asked).postDataJSON()).toEqual({
      budget_usd: 'none',
      stage_budgets: { index: { usd: 1.5, tokens: 9000 } },
    });
    await world.until(id, 'running');
  });

  it('a run is cancelled by keyboard, but not without being asked', async () => {
    const id = await world.submit(endless, 'running');
    const { page } = await world.open(`#/runs/${id}`, 'dark');
    const button = page.getByRole('button', { name: 'Cancel', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Cancel nightly_index?' });
    await dialog.waitFor();
    await keepPicture(page, 'cancel-dark');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect((await world.server.get<{ status: string }>(`pipelines/${id}`)).status).toBe('running');
    // The focus is where it was.
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Cancel the run' }).press('Enter');
    await world.until(id, 'cancelled');
    await page.locator('[data-status=cancelled]').waitFor();
  });

  it('a run is forked before a node, and the page goes to the new one', async () => {
    const id = await world.submit(gated, 'asking');
    const { page } = await world.open(`#/runs/${id}`);
    await page.locator('.run-title').getByText('Waits for an answer').waitFor();
    await cancelRun(world.server, id);
    await page.locator('.run-title').getByText('Cancelled').waitFor();
    await page.getByRole('button', { name: 'Fork' }).click();
    const dialog = page.getByRole('dialog', { name: 'Fork release' });
    await dialog.getByLabel('Before the last visit of a node').check();
    await dialog.getByRole('button', { name: 'Fork' }).click();
    await dialog.getByText('Choose the node.').waitFor();
    const choice = dialog.getByRole('combobox', { name: 'Node' });
    // Control never came to the exit, so that no run can be forked there.
    expect(await choice.locator('option').allTextContents()).toEqual([
      'Choose a node',
      'start',
      'build',
      'gate',
    ]);
    await choice.selectOption('gate');
    await keepPicture(page, 'fork-light');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Fork' }).click();
    await page.waitForURL((url) => url.hash.startsWith('#/runs/') && !url.hash.includes(id));
    // It continues at the gate, which asks again.
    await page.getByRole('region', { name: 'Ship it?' }).getByRole('button', { name: 'Approve' }).click();
    const fork = decodeURIComponent(new URL(page.url()).hash.replace(/^#\/runs\/|\?.*$/g, ''));
    await world.until(fork, 'success');
    expect(await world.server.get(`pipelines/${fork}`)).toMatchObject({ forked_from: { run_id: id } });
  });

  it('only nodes are offered at which a run can continue, once they are known', async () => {
    const id = await world.submit(fanned, 'running');
    await world.server.post(`pipelines/${id}/cancel`, {});
    await world.until(id, 'cancelled');
    const { page, context } = await world.open();
    // The page then asks for events by itself, which can be held back.
    await context.addInitScript('delete globalThis.SharedWorker');
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/events?*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${world.server.url}/?again#/runs/${id}`);
    const offered = async (action: string): Promise<readonly string[]> =>
      page.getByRole('dialog', { name: action }).getByRole('combobox').locator('option').allTextContents();
    await page.getByRole('button', { name: 'Resume' }).click();
    // Both branches have yet to begin: nothing in the journal says that they are some.
    await expect
      .poll(() => offered('Resume'))
      .toEqual(['Where it stopped', 'start', 'exit', 'wait', 'fan', 'join']);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Fork' }).click();
    await page.getByRole('dialog').getByLabel('Before the last visit of a node').check();
    expect(await offered('Fork')).toEqual(['Loading the nodes …']);
    release();
    await expect.poll(() => offered('Fork')).toEqual(['Choose a node', 'start', 'wait']);
    for (const from of ['a', 'b'])
      await expect(world.server.post(`pipelines/${id}/resume`, { from })).rejects.toThrow(
        'runs only in branches of',
      );
  });

  it('says why something could not be done', async () => {
    const id = await world.submit(endless, 'running');
    const { page } = await world.open(`#/runs/${id}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').waitFor();
    await page.route('**/pause', async (route) => {
      await world.server.post(`pipelines/${id}/cancel`, {});
      await world.until(id, 'cancelled');
      await route.continue();
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await keepPicture(page, 'refused-light');
    await expectAccessible(page);
  });
});
