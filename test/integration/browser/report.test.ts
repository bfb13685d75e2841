import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { renderReport } from '../../../src/report/render-report.js';
import { hostileRun, runWithEverything } from '../../report/report-runs.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { lacksChromium, startChromium } from './chromium.js';
import { keepPicture, type Sight, sights } from './screens.js';

// A report is opened from the disk, where there is no server, and maybe no network and no script.

// A browser on a busy machine takes its time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const now = Date.UTC(2030, 0, 2, 3, 4, 5);

async function reportFile(runDirectory: string): Promise<string> {
  const file = path.join(temporaryDirectory(), 'report.html');
  writeFileSync(file, await renderReport(runDirectory, now));
  return pathToFileURL(file).href;
}

interface OpenReport {
  readonly page: Page;
  /** What the page asked for, besides itself, and what went wrong in it. */
  readonly complaints: readonly string[];
}

describe.skipIf(lacksChromium)('§9.6 the report of a run, opened from the disk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  async function open(url: string, sight: Sight, javaScriptEnabled = true): Promise<OpenReport> {
    const context = await browser.newContext({ ...sights[sight], javaScriptEnabled, offline: true });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    const complaints: string[] = [];
    page.on('request', (request) => {
      if (request.url() !== url) complaints.push(`asked for ${request.url()}`);
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('dialog', (dialog) => {
      complaints.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(url);
    return { page, complaints };
  }

  const overflow = (page: Page): Promise<number> =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

  test.each(['light', 'dark', 'phone'] as const)('is readable by everybody: %s', async (sight) => {
    const { page, complaints } = await open(await reportFile(await runWithEverything()), sight);
    await keepPicture(page, `report-${sight}`);
    await page.getByRole('button', { name: 'Unfold all' }).click();
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await keepPicture(page, `report-unfolded-${sight}`);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('can be read without script, and unfolds for the printer', async () => {
    const { page, complaints } = await open(await reportFile(await runWithEverything()), 'light', false);
    const prompt = page.locator('#visit-1 pre', { hasText: 'Do the work of work' });
    expect(await prompt.isVisible()).toBe(false);
    await page.locator('#visit-1 > summary').click();
    expect(await prompt.isVisible()).toBe(true);
    expect(await page.getByRole('button').count()).toBe(0);
    await page.locator('#visit-1 > summary').press('Enter');
    expect(await prompt.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await prompt.isVisible()).toBe(true);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('opens the visit that a link names', async () => {
    const url = await reportFile(await runWithEverything());
    const { page } = await open(`${url}#visit-1`, 'light');
    await page.locator('#visit-1 pre', { hasText: 'Do the work of work' }).waitFor({ state: 'visible' });
    await page.context().close();
  });

  test.each([
    '</script><script>document.title = "taken"</script>',
    '"><img src=x onerror=\'document.title="taken"\'>',
    '</pre></details></title></style><iframe src="https://example.com/"></iframe><svg onload="document.title=1">',
  ])('shows what others wrote, and does none of it: %s', async (attack) => {
    const { page, complaints } = await open(await reportFile(await hostileRun(attack)), 'light');
    await page.getByRole('button', { name: 'Unfold all' }).click();
    const strange =
      'document.querySelectorAll("img, iframe, object, embed, form, main script, svg script, foreignObject").length';
    expect(await page.evaluate(strange)).toBe(0);
    expect(await page.title()).not.toBe('taken');
    expect(await page.locator('#visit-1 pre').first().textContent()).toBe(attack);
    expect(await page.evaluate('document.querySelectorAll("script").length')).toBe(1);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
