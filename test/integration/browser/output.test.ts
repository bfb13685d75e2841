import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { inBrowser } from './in-browser.js';
import { expectAccessible, keepPicture, type Sight, sights } from './screens.js';

// §9.5: what tools print, as it is printed, in its colours, and the end of what is long.

inBrowser('outputs of tools in a browser', { policy: { allowTools: true } }, (world) => {
  const submitTool = async (command: string): Promise<string> => {
    const dot = `digraph tests { start [shape=Mdiamond] exit [shape=Msquare] test [shape=parallelogram, tool_command="${command}"] start -> test -> exit }`;
    return (await world.server.submit({ dot })).id;
  };

  it.each(['light', 'dark'] as const)(
    'are shown while they are written, in their colours (%s)',
    async (sight) => {
      const go = path.join(world.server.directory, `go-${sight}`);
      const id = await submitTool(
        `printf '\\\\033[32mPASS\\\\033[0m one\\\\n\\\\033[1;31mFAIL\\\\033[0m two\\\\n'; until [ -e ${go} ]; do sleep 0.1; done; echo all done`,
      );
      const { page, complaints } = await world.open(`#/runs/${id}/stages/test`, sight);
      const output = page
        .locator('.inspector')
        .getByRole('region', { name: 'Outputs' })
        .locator('.file-text')
        .first();
      await output.getByText('FAIL').waitFor();
      expect(await output.locator('pre').textContent()).toBe('PASS one\nFAIL two\n');
      expect(await output.getByText('PASS').getAttribute('data-ansi')).toBe('green');
      await keepPicture(page, `tool-output-${sight}`);
      await expectAccessible(page);
      writeFileSync(go, '');
      await world.until(id, 'success');
      await page.locator('.inspector').getByText('succeeded').first().waitFor();
      await page.locator('.inspector summary').filter({ hasText: 'Standard output' }).click();
      await output.getByText('all done').waitFor();
      expect(complaints).toEqual([]);
    },
  );

  it.each(Object.keys(sights) as Sight[])('tell why a tool has failed, line by line (%s)', async (sight) => {
    const id = await submitTool(
      `echo 'npm warn' >&2; printf '\\\\033[31m2 failed\\\\033[0m\\\\n1 passed\\\\n'; exit 1`,
    );
    await world.until(id, 'fail');
    const { page, complaints } = await world.open('', sight);
    const reason = 'exit code 1: npm warn\nstandard output:\n2 failed\n1 passed';
    expect(await page.locator('.run-failure').first().textContent()).toBe(reason);
    await page.goto(`${world.server.url}/#/runs/${id}`);
    const failure = page.locator('.run-head .failure');
    await failure.waitFor();
    expect(await failure.innerText()).toBe(`Failed at test: ${reason}`);
    await failure.getByRole('link', { name: 'test' }).click();
    const inspector = page.locator('.inspector');
    await inspector.locator('[data-ansi=red]').getByText('2 failed').first().waitFor();
    expect(await inspector.locator('.failure').innerText()).toBe(reason);
    expect(await inspector.textContent()).not.toContain('\u001b');
    await keepPicture(page, `tool-failure-${sight}`);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  it('that are large show their end', async () => {
    const id = await submitTool('seq 1 100000; exit 1');
    await world.until(id, 'fail');
    const { page } = await world.open(`#/runs/${id}/stages/test`);
    const text = page.getByRole('region', { name: 'Outputs' }).locator('.file-text pre').first();
    await page.getByText(/^The last 64 .B of it:/).waitFor();
    await text.filter({ hasText: '100000' }).waitFor();
    expect((await text.textContent())?.startsWith('8')).toBe(true);
    const reason = page.locator('.inspector .failure');
    expect(await reason.innerText()).toMatch(
      /^exit code 1: \d+\s+▸? ?\d+ more lines\s+99995\n(?:\d+\n){4}100000$/,
    );
    await reason.getByText('more lines').click();
    await reason.getByText('99992').waitFor();
    await keepPicture(page, 'tool-failure-long');
  });
});
