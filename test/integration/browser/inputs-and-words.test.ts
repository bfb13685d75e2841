import { expect, it } from 'vitest';
import type { Submission } from '../../../src/server/api/run.js';
import { inBrowser } from './in-browser.js';
import { expectAccessible, keepPicture, type Sight, sights } from './screens.js';

// SEMANTICS 101 and 109: inputs when a run is resumed, and words besides the choice of a gate.

const limited: Submission = {
  dot: `digraph limited {
    graph [inputs="level: low|high = low, limit: integer"]
    start [shape=Mdiamond] exit [shape=Msquare]
    work [label="Work"]
    start -> work -> exit
  }`,
  inputs: { limit: 3 },
  script: { nodes: { work: { outcome: 'success', delay: '10h' } } },
};

const worded: Submission = {
  dot: `digraph worded {
    start [shape=Mdiamond] exit [shape=Msquare]
    gate [shape=hexagon, label="Ship it?", "human.text"=required]
    start -> gate
    gate -> exit [label="[A] Approve"]
    gate -> work [label="[F] Fix first"]
    work -> gate
  }`,
};

inBrowser('inputs and words in a browser', {}, (world) => {
  it('are changed when a run is resumed, by fields of their types', async () => {
    const id = await world.submit(limited, 'running');
    await world.server.post(`pipelines/${id}/pause`, { mode: 'now' });
    await world.until(id, 'paused');
    const { page, complaints } = await world.open(`#/runs/${id}`);
    await page.getByRole('button', { name: 'Resume' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Other inputs').click();
    await dialog.getByLabel('level').selectOption('high');
    await dialog.getByLabel('limit').fill('three');
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await dialog.getByText(/^limit: .*integer/).waitFor();
    await keepPicture(page, 'resume-inputs-light');
    await expectAccessible(page);
    await dialog.getByLabel('limit').fill('4');
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await dialog.waitFor({ state: 'detached' });
    await world.until(id, 'running');
    const { context } = await world.server.get<{ context: object }>(`pipelines/${id}/context`);
    expect(context).toMatchObject({ 'inputs.level': 'high', 'inputs.limit': 4 });
    expect(complaints).toEqual([]);
  });

  it.each(Object.keys(sights) as Sight[])(
    'are asked for again where a gate requires them, and go with the choice (%s)',
    async (sight) => {
      const id = await world.submit(worded, 'asking');
      const { page } = await world.open(`#/runs/${id}`, sight);
      const gate = page.getByRole('region', { name: 'Ship it?' });
      await gate.getByLabel('Text (required)').waitFor();
      await keepPicture(page, `gate-words-${sight}`);
      await expectAccessible(page);
      await gate.getByRole('button', { name: 'Approve' }).click();
      await gate.locator('.notice').filter({ hasText: /text/i }).waitFor();
      await gate.getByLabel('Text (required)').fill('Two people looked at it.');
      await gate.getByRole('button', { name: 'Approve' }).click();
      await world.until(id, 'success');
      const { context } = await world.server.get<{ context: object }>(`pipelines/${id}/context`);
      expect(context).toMatchObject({ 'human.gate.text': 'Two people looked at it.' });
    },
  );
});
