import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { renderReport } from '../../../src/report/render-report.js';
import { conversingRun, hostileRun, runWithEverything } from '../../report/report-runs.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { inBrowser } from './in-browser.js';
import { keepPicture } from './screens.js';

// A report is opened from the disk, where there is no server, and maybe no network and no script.

const now = Date.UTC(2030, 0, 2, 3, 4, 5);

async function reportFile(runDirectory: string): Promise<string> {
  const file = path.join(temporaryDirectory(), 'report.html');
  writeFileSync(file, await renderReport(runDirectory, now));
  return pathToFileURL(file).href;
}

inBrowser('§9.6 the report of a run, opened from the disk', 'no server', (world) => {
  const overflow = (page: Page): Promise<number> =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

  test.each(['light', 'dark', 'phone'] as const)('is readable by everybody: %s', async (sight) => {
    const { page, complaints } = await world.openFile(await reportFile(await runWithEverything()), { sight });
    await keepPicture(page, `report-${sight}`);
    await page.getByRole('button', { name: 'Unfold all' }).click();
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await keepPicture(page, `report-unfolded-${sight}`);
    expect(complaints).toEqual([]);
  });

  test.each(['light', 'dark', 'phone'] as const)(
    '123: has conversations for everybody: %s',
    async (sight) => {
      const { directory } = await conversingRun();
      const { page, complaints } = await world.openFile(await reportFile(directory), { sight });
      await page.locator('#visit-1 > summary').click();
      await page.locator('#visit-1 summary', { hasText: 'Conversation' }).click();
      await page.locator('.thread').getByText('Use tabs.').first().waitFor({ state: 'visible' });
      await page.evaluate('for (const one of document.querySelectorAll(".thread details")) one.open = true');
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await keepPicture(page, `report-conversation-${sight}`);
      expect(complaints).toEqual([]);
    },
  );

  test('can be read without script, and unfolds for the printer', async () => {
    const { page, complaints } = await world.openFile(await reportFile(await runWithEverything()), {
      javaScript: false,
    });
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
  });

  test('opens the visit that a link names', async () => {
    const url = await reportFile(await runWithEverything());
    const { page } = await world.openFile(`${url}#visit-1`);
    await page.locator('#visit-1 pre', { hasText: 'Do the work of work' }).waitFor({ state: 'visible' });
  });

  test.each([
    '</script><script>document.title = "taken"</script>',
    '"><img src=x onerror=\'document.title="taken"\'>',
    '</pre></details></title></style><iframe src="https://example.com/"></iframe><svg onload="document.title=1">',
  ])('shows what others wrote, and does none of it: %s', async (attack) => {
    const { page, complaints } = await world.openFile(await reportFile(await hostileRun(attack)));
    await page.getByRole('button', { name: 'Unfold all' }).click();
    const strange =
      'document.querySelectorAll("img, iframe, object, embed, form, main script, svg script, foreignObject").length';
    expect(await page.evaluate(strange)).toBe(0);
    expect(await page.title()).not.toBe('taken');
    expect(await page.locator('#visit-1 pre').first().textContent()).toBe(attack);
    expect(await page.evaluate('document.querySelectorAll("script").length')).toBe(1);
    expect(complaints).toEqual([]);
  });
});
