import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { inBrowser } from './in-browser.js';
import { gated } from './worlds.js';

// SEMANTICS 73: a browser opens six connections to a server; the tabs of the page share one for their events.

const patience = { timeout: 60_000 };

inBrowser('tabs of a browser', {}, (world) => {
  const openStreams = async (): Promise<number> => {
    const { token, url } = world.server;
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    return Number(/^attractor_event_streams\S* (\d+)$/m.exec(await answer.text())?.[1]);
  };
  const approve = (page: Page) => page.getByRole('button', { name: 'Approve' });
  /** As the browser says it; tabs of a browser without a screen are all in sight. */
  const turn = (page: Page, state: 'hidden' | 'visible'): Promise<unknown> =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);

  it('ten follow ten runs over one connection, and the tenth answers', async () => {
    const { page, context, complaints } = await world.open();
    const tabs: Page[] = [];
    const ids: string[] = [];
    for (let count = 0; count < 10; count += 1) {
      const id = await world.submit(gated, 'asking');
      const tab = await context.newPage();
      tab.setDefaultTimeout(60_000);
      await tab.goto(`${world.server.url}/#/runs/${id}`);
      await approve(tab).waitFor();
      tabs.push(tab);
      ids.push(id);
    }
    await expect.poll(openStreams, patience).toBe(1);
    const [tenth, id] = [tabs[9] ?? page, ids[9] ?? ''];
    await approve(tenth).click();
    await world.until(id, 'success');
    await tenth.getByText('Answered gate: Approve').waitFor();
    await tenth.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('let go of the connection while they are hidden, and miss nothing', async () => {
    const id = await world.submit(gated, 'asking');
    const { page } = await world.open(`#/runs/${id}`);
    await approve(page).waitFor();
    await expect.poll(openStreams, patience).toBe(1);
    await turn(page, 'hidden');
    await expect.poll(openStreams, patience).toBe(0);
    await world.server.post(`pipelines/${id}/questions/gate/answer`, { answer: 'A' });
    await world.until(id, 'success');
    await turn(page, 'visible');
    await approve(page).waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByText('PipelineCompleted').first().waitFor();
  });

  it.each([
    ['are missing', 'delete window.SharedWorker'],
    [
      'do not load',
      "document.addEventListener('DOMContentLoaded', () => { document.querySelector('meta[name=events-worker]').content = 'assets/none.js'; })",
    ],
  ])('follow their runs themselves where shared workers %s', async (_what, script) => {
    const id = await world.submit(gated, 'asking');
    const { page, context } = await world.open();
    await context.addInitScript(script);
    await page.goto(`${world.server.url}/?again#/runs/${id}`);
    await approve(page).click();
    await world.until(id, 'success');
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByText('PipelineCompleted').first().waitFor();
  });
});
