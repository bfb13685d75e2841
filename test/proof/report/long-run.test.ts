import { expect, test } from 'vitest';
import { renderReport } from '../../../src/report/render-report.js';
import { longRun } from './long-run.js';

test('§9.6 the report of a long run stays below 12 MB: the latest visits in full, those before them in a line', async () => {
  const page = await renderReport(await longRun(10_000), Date.UTC(2030, 0, 3));
  expect(page.length).toBeLessThan(12_000_000);
  expect(page.match(/<details class="visit"/g)).toHaveLength(150);
  expect(page.match(/<tr><td>\d+<\/td><th scope="row">a<\/th>/g)?.length).toBe(3600);
  expect(page).toContain('The first 6251 visits left out.');
  expect(page).toContain('reason 10000 ');
});
