import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Submission } from '../../../src/server/api/run.js';
import { inBrowser } from './in-browser.js';
import { expectAccessible, keepPicture, type OpenPage, type Sight, sights } from './screens.js';
import { asking, gated, hostile } from './worlds.js';

// §6.2, §9.5: human gates are answered on the page, by mouse and by keyboard; SEMANTICS 73: an answer counts once.

const plugin = new URL('asking-plugin.mjs', import.meta.url).pathname;

/** Asks about each item of a list, and in a branch next to the list. */
const itemised: Submission = {
  dot: `digraph items {
    graph [inputs="files: list"]
    start [shape=Mdiamond]
    exit [shape=Msquare]
    both [shape=component]
    each [shape=component, foreach="\${inputs.files}", as=file, join=met]
    gate [shape=hexagon, label="Ship it?"]
    keep; drop; met
    other [shape=hexagon, label="And the rest?"]
    join [shape=tripleoctagon]
    start -> both
    both -> each -> gate
    gate -> keep [label="[K] Keep"]
    gate -> drop [label="[D] Drop"]
    keep -> met
    drop -> met -> join
    both -> other -> join [label="[Y] Yes"]
    join -> exit
  }`,
  inputs: { files: [{ name: 'a.ts' }, 'b.ts'] },
};

inBrowser(
  'questions in a browser',
  {
    extensions: { config: false, provider: 'simulated', plugin: [plugin] },
    policy: { allowTools: true },
  },
  (world) => {
    const openRun = (id: string, sight: Sight = 'light'): Promise<OpenPage> =>
      world.open(`#/runs/${id}`, sight);
    const ended = (id: string): Promise<void> => world.until(id, 'success');
    const answered = async (id: string): Promise<unknown> => {
      const { context } = await world.server.get<{ context: Record<string, unknown> }>(
        `pipelines/${id}/context`,
      );
      return context.ask;
    };
    const question = (page: Page, text: string) => page.getByRole('region', { name: text });

    it('a gate is answered by its accelerator key', async () => {
      const id = await world.submit(gated, 'asking');
      const { page, complaints } = await openRun(id);
      const gate = question(page, 'Ship it?');
      await gate.getByText('The build is green, and two people have reviewed it.').waitFor();
      // Whoever asked first is answered first: the gate asks again after each fix.
      const first = await gate.elementHandle();
      await page.keyboard.press('f');
      await page.getByText('Answered gate: Fix first').waitFor();
      // The question that was answered takes no second answer.
      await first?.waitForElementState('hidden');
      await gate.getByRole('button', { name: 'Approve' }).waitFor();
      await page.keyboard.press('A');
      await ended(id);
      await gate.waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
    });

    it('a key counts as soon as its question is in sight', async () => {
      const id = await world.submit(gated, 'asking');
      const { page } = await world.open();
      await page.locator('[data-run-link]').first().waitFor();
      await page.evaluate(`new MutationObserver((_changes, observer) => {
      if (document.querySelector('.question') === null) return;
      observer.disconnect();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
    }).observe(document.body, { childList: true, subtree: true });
    location.hash = '#/runs/${id}'`);
      await ended(id);
    });

    it('a key that somebody writes, or presses in a dialog, answers nothing', async () => {
      const id = await world.submit(gated, 'asking');
      const { page } = await openRun(id);
      await question(page, 'Ship it?').waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('a');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+a');
      const { status } = await world.server.get<{ status: string }>(`pipelines/${id}`);
      expect(status).toBe('running');
      expect(await page.getByText(/^Answered/).count()).toBe(0);
      await question(page, 'Ship it?').getByRole('button', { name: 'Approve' }).click();
      await ended(id);
    });

    it.each(Object.keys(sights) as Sight[])('every kind of question keeps nobody out (%s)', async (sight) => {
      const ids = [
        await world.submit(gated, 'asking'),
        await world.submit(asking('several', 'Which systems are released?'), 'asking'),
        await world.submit(asking('freeform', 'What shall the notes say?'), 'asking'),
      ];
      for (const [index, id] of ids.entries()) {
        const { page, complaints } = await openRun(id, sight);
        await page.locator('.question').waitFor();
        await keepPicture(page, `question-${index}-${sight}`);
        await expectAccessible(page);
        expect(complaints).toEqual([]);
        await page.close();
      }
    });

    it.each([
      ['yes_no', 'Go?', 'y', 'YES'],
      ['confirmation', 'Delete it all?', 'N', 'NO'],
    ])('%s is answered by key', async (kind, text, key, value) => {
      const id = await world.submit(asking(kind, text), 'asking');
      const { page } = await openRun(id);
      await question(page, text).waitFor();
      if (kind === 'yes_no')
        await question(page, text)
          .getByText(/left, then “No” counts/)
          .waitFor();
      await page.keyboard.press(key);
      await ended(id);
      expect(await answered(id)).toBe(value);
    });

    it('several options are ticked by key and by mouse, and sent together', async () => {
      const id = await world.submit(asking('several', 'Which systems?'), 'asking');
      const { page } = await openRun(id);
      const ask = question(page, 'Which systems?');
      await ask.getByRole('button', { name: 'Choose one or more' }).isDisabled();
      await page.keyboard.press('w');
      await ask.getByLabel('Linux').check();
      await page.keyboard.press('m');
      await page.keyboard.press('m');
      await ask.getByRole('button', { name: 'Answer with 2' }).click();
      await ended(id);
      expect(await answered(id)).toBe('L, W');
    });

    it('a text is written, and sent with Ctrl and Enter', async () => {
      const id = await world.submit(asking('freeform', 'What shall the notes say?'), 'asking');
      const { page } = await openRun(id);
      await page.getByRole('textbox', { name: 'What shall the notes say?' }).fill('a <b>bold</b>\nmove?');
      await page.keyboard.press('Control+Enter');
      await ended(id);
      expect(await answered(id)).toBe('a <b>bold</b>\nmove?');
    });

    it('what authors wrote is text', async () => {
      const id = await world.submit(hostile, 'asking');
      const { page, complaints } = await openRun(id);
      const gate = page.locator('.question');
      await gate.getByRole('heading', { name: '<b onclick=alert(1)>Go?</b>' }).waitFor();
      await gate.getByText('</p><script>alert(2)</script>').waitFor();
      await gate.getByRole('button', { name: '<img src=x onerror=alert(3)>' }).waitFor();
      expect(await gate.locator('script, img, b').count()).toBe(0);
      expect(complaints).toEqual([]);
      await page.keyboard.press('y');
      await ended(id);
    });

    it('of two people who answer, the second hears that it was too late', async () => {
      const id = await world.submit(gated, 'asking');
      const { page } = await openRun(id);
      await question(page, 'Ship it?').waitFor();
      await page.clock.install();
      // The other one is faster than what the page is told of it.
      await page.route('**/answer', async (route) => {
        const { questions } = await world.server.get<{ questions: { id: string }[] }>(
          `pipelines/${id}/questions`,
        );
        for (const { id: asked } of questions) {
          await world.server.post(`pipelines/${id}/questions/${asked}/answer`, { answer: 'A' });
        }
        await route.continue();
      });
      await page.keyboard.press('f');
      // It depends on the moment whether the server refuses the answer, or the run that has just been answered.
      const message = page.locator('.toast').getByText(/Too late\. .*"gate"/);
      await message.waitFor();
      await ended(id);
      // Whoever looks away meanwhile still reads it.
      await page.clock.fastForward('01:00');
      await expect.poll(() => message.isVisible()).toBe(true);
      await page.getByRole('button', { name: 'Close the message' }).click();
      await message.waitFor({ state: 'detached' });
    });

    it('is told of on every other screen, and leads there', async () => {
      const id = await world.submit(asking('confirmation', 'Elsewhere?'), 'asking');
      const { page } = await world.open('#/playground');
      const bar = page.locator('.gate-bar');
      await bar.getByRole('link', { name: 'asks_confirmation' }).click();
      await question(page, 'Elsewhere?').waitFor();
      await bar.waitFor({ state: 'detached' });
      await page.keyboard.press('y');
      await ended(id);
    });

    it.each(Object.keys(sights) as Sight[])(
      '106: a question in a branch of a list says which item it is about (%s)',
      async (sight) => {
        const id = await world.submit(itemised, 'asking');
        const { page } = await openRun(id, sight);
        const heads = page.locator('.question-head');
        await heads.nth(2).waitFor();
        // The items come with the events of the run, later than the questions.
        await page.locator('.question-items').nth(1).waitFor();
        // Without their age, which a busy machine makes minutes; who asks first is a race of the branches.
        const places = await heads.locator('> span').allTextContents();
        expect(places.sort()).toEqual([
          'gate asks',
          'gate asks',
          'item 1 of 2: {"name":"a.ts"}',
          'item 2 of 2: b.ts',
          'other in branch other asks',
        ]);
        await keepPicture(page, `question-items-${sight}`);
        await expectAccessible(page);
        const second = question(page, 'item 2 of 2');
        await second.getByRole('button', { name: 'Drop' }).click();
        await page.getByText('Answered gate in each/gate#2: Drop').waitFor();
        await second.waitFor({ state: 'detached' });
        await question(page, 'item 1 of 2').waitFor();
      },
    );

    it('a question stays open over a reload in the middle', async () => {
      const id = await world.submit(gated, 'asking');
      const { page } = await openRun(id);
      await question(page, 'Ship it?').waitFor();
      await page.reload();
      await question(page, 'Ship it?').waitFor();
      await page.keyboard.press('a');
      await ended(id);
    });
  },
);
