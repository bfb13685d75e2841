import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildBundle } from '../docs/built.js';
import { lacksChromium, startChromium } from './chromium.js';
import { type PageServer, startPageServer } from './page-server.js';
import { closeWindows, openPage } from './screens.js';
import { cancelAll, gated, submitAsking, untilRun } from './worlds.js';

// SEMANTICS 73: a browser opens six connections to a server; the tabs of the page share one for their events.

vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });

const patience = { timeout: 60_000 };

describe.skipIf(lacksChromium)('tabs of a browser', () => {
  let browser: Browser;
  let server: PageServer;

  beforeAll(async () => {
    buildBundle();
    browser = await startChromium();
    server = await startPageServer();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(async ({ task }) => {
    await closeWindows(browser, task);
    await cancelAll(server);
  });

  const openStreams = async (): Promise<number> => {
    const { token, url } = server;
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    return Number(/^attractor_event_streams\S* (\d+)$/m.exec(await answer.text())?.[1]);
  };
  const approve = (page: Page) => page.getByRole('button', { name: 'Approve' });
  /** As the browser says it; tabs of a browser without a screen are all in sight. */
  const turn = (page: Page, state: 'hidden' | 'visible'): Promise<unknown> =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);

  it('ten follow ten runs over one connection, and the tenth answers', async () => {
    const { page, context, complaints } = await openPage(browser, server);
    const tabs: Page[] = [];
    const ids: string[] = [];
    for (let count = 0; count < 10; count += 1) {
      const id = await submitAsking(server, gated);
      const tab = await context.newPage();
      tab.setDefaultTimeout(60_000);
      await tab.goto(`${server.url}/#/runs/${id}`);
      await approve(tab).waitFor();
      tabs.push(tab);
      ids.push(id);
    }
    await expect.poll(openStreams, patience).toBe(1);
    const [tenth, id] = [tabs[9] ?? page, ids[9] ?? ''];
    await approve(tenth).click();
    await untilRun(server, id, ({ status }) => status === 'success');
    await tenth.getByText('Answered gate: Approve').waitFor();
    await tenth.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('let go of the connection while they are hidden, and miss nothing', async () => {
    const id = await submitAsking(server, gated);
    const { page } = await openPage(browser, server, `#/runs/${id}`);
    await approve(page).waitFor();
    await expect.poll(openStreams, patience).toBe(1);
    await turn(page, 'hidden');
    await expect.poll(openStreams, patience).toBe(0);
    await server.post(`pipelines/${id}/questions/gate/answer`, { answer: 'A' });
    await untilRun(server, id, ({ status }) => status === 'success');
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
    const id = await submitAsking(server, gated);
    const { page, context } = await openPage(browser, server);
    await context.addInitScript(script);
    await page.goto(`${server.url}/?again#/runs/${id}`);
    await approve(page).click();
    await untilRun(server, id, ({ status }) => status === 'success');
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByText('PipelineCompleted').first().waitFor();
  });
});
