import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Submission } from '../../../src/server/api/run.js';
import { root } from '../../docs/markdown.js';
import { inBrowser } from './in-browser.js';
import { expectAccessible, keepPicture, type Sight, sights } from './screens.js';
import { gated } from './worlds.js';

// §9.5, §9.6, SEMANTICS 73a: a run as it happens, in a real browser against a real server.

/** Loops, branches, retries, a failure that a later attempt makes good, and texts that look like pages. */
const busy: Submission = {
  dot: `digraph release_notes {
    graph [goal="Notes for version 2.4 that people can read"]
    start [shape=Mdiamond]
    exit [shape=Msquare]
    draft [label="Draft the notes", max_retries=2, retry_policy=aggressive]
    fan [shape=component, label="Review"]
    tone [label="Tone"]
    facts [label="Facts"]
    join [shape=tripleoctagon, label="Together"]
    verdict [label="Good enough?"]
    start -> draft -> fan
    fan -> tone -> join
    fan -> facts -> join
    join -> verdict
    verdict -> exit [label="yes"]
    verdict -> draft [label="once more"]
  }`,
  simulate: true,
  script: {
    nodes: {
      draft: [
        { outcome: 'retry', failure_reason: 'the model was busy' },
        { outcome: 'success', notes: 'Eleven changes', response: '# Version 2.4\n\nTwice as fast.' },
      ],
      verdict: [{ preferred_label: 'once more' }, { preferred_label: 'yes' }],
    },
  },
};

const markup = '</pre></text><script>window.owned=1</script><img src=x onerror=window.owned=1>';

const speaking = (says: string): Submission => ({
  dot: `digraph speaking {
    graph [goal="${markup}"]
    start [shape=Mdiamond]
    exit [shape=Msquare]
    talk [type="speaks", label="Talk ${markup}", says="${says}"]
    last [label="Last"]
    start -> talk -> last -> exit
  }`,
  simulate: false,
  budget_usd: 0.025,
  backend: 'simulate',
});

const node = (page: Page, id: string): Locator => page.locator(`.graph-frame [data-node="${id}"]`);
const stateOf = (page: Page, id: string): Promise<string | null> => node(page, id).getAttribute('data-state');
const untilState = (page: Page, id: string, state: string): Promise<void> =>
  page.locator(`.graph-frame [data-node="${id}"][data-state="${state}"]`).waitFor({ state: 'attached' });
const inspector = (page: Page): Locator => page.locator('.inspector');
const tab = (page: Page, name: string): Locator => page.getByRole('tab', { name });

const plugin = path.join(root, 'test/integration/browser/speaking-plugin.mjs');

inBrowser(
  'a run in a browser',
  { extensions: { config: false, provider: 'simulated', plugin: [plugin] } },
  (world) => {
    let done = '';

    beforeAll(async () => {
      done = await world.submit(busy, 'success');
    });

    it.each(Object.keys(sights) as Sight[])(
      '73a: shows what happened on its graph, and keeps nobody out (%s)',
      async (sight) => {
        const { page, complaints } = await world.open(`#/runs/${done}`, sight);
        await untilState(page, 'exit', 'done');
        expect(await node(page, 'draft').textContent()).toContain('✓ 2 ×');
        expect(await node(page, 'draft').getAttribute('aria-label')).toBe(
          'Draft the notes (draft), done, entered 2 times',
        );
        expect(await page.locator('.edge[data-taken="false"]').count()).toBe(0);
        for (const name of ['Timeline', 'Stages', 'Events', 'Context', 'Cost', 'Artifacts']) {
          await tab(page, name).click();
          await page.locator('.tab-panel > *').first().waitFor();
          await page.locator('.tab-panel .loading').waitFor({ state: 'detached' });
          await keepPicture(page, `run-${name.toLowerCase()}-${sight}`);
          await expectAccessible(page);
        }
        await page.goto(`${world.server.url}/#/runs/${done}/stages/draft`);
        await inspector(page).getByText('Twice as fast.').first().waitFor();
        await keepPicture(page, `run-stage-${sight}`);
        await expectAccessible(page);
        expect(complaints).toEqual([]);
      },
    );

    it('§9.6 continues while somebody looks, is answered by a key, and survives a reload and a restart of the server', async () => {
      const id = await world.submit(gated, 'asking');
      const { page } = await world.open(`#/runs/${id}`);
      await untilState(page, 'gate', 'waiting');
      expect(await stateOf(page, 'exit')).toBe('unreached');
      await page.getByRole('button', { name: 'Fix first' }).waitFor();
      await page.keyboard.press('f');
      const twice = page.locator('.graph-frame [data-node="build"]', { hasText: '2 ×' });
      await twice.waitFor({ state: 'attached' });
      await page.reload();
      // In this order: the page may show the run as it was when the gate waited for the first time.
      await twice.waitFor({ state: 'attached' });
      await untilState(page, 'gate', 'waiting');
      const events = await tab(page, 'Events').textContent();
      await world.server.restart(() => page.getByText('The connection is lost').waitFor());
      await world.until(id, 'asking');
      await page.getByText('The connection is lost').waitFor({ state: 'detached' });
      await page.waitForFunction(
        `document.querySelectorAll('[role=tab]')[2]?.textContent !== ${JSON.stringify(events)}`,
      );
      await page.getByRole('button', { name: 'Approve' }).waitFor();
      await page.keyboard.press('a');
      await untilState(page, 'exit', 'done');
      await page.locator('.run-title [data-status="success"]').waitFor();
      await tab(page, 'Events').click();
      const seqs = await page.locator('.event-seq').allTextContents();
      expect(seqs.map(Number)).toEqual(seqs.map((_, index) => Number(seqs[0]) + index));
    });

    it('is gone through by keyboard: the picture, its stages, and back', async () => {
      const { page } = await world.open(`#/runs/${done}`);
      await untilState(page, 'exit', 'done');
      const viewBox = (): Promise<string | null> =>
        page.locator('.graph-frame > svg').getAttribute('viewBox');
      await page.locator('.graph-frame').focus();
      const all = await viewBox();
      await page.keyboard.press('+');
      await page.keyboard.press('ArrowRight');
      expect(await viewBox()).not.toBe(all);
      await page.keyboard.press('0');
      expect(await viewBox()).toBe(all);
      await page.keyboard.press('Tab');
      expect(await page.evaluate("document.activeElement?.getAttribute('data-node')")).toBe('start');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      expect(await page.evaluate("document.activeElement?.getAttribute('data-node')")).toBe('draft');
      await page.keyboard.press('Enter');
      await page.waitForURL(/stages\/draft/);
      await inspector(page).getByRole('heading', { name: 'Draft the notes' }).waitFor();
      await inspector(page).locator('h2:focus').waitFor();
      await page.keyboard.press('Escape');
      await inspector(page).waitFor({ state: 'detached' });
      expect(await page.evaluate("document.activeElement?.getAttribute('data-node')")).toBe('draft');
      await page.getByRole('listbox', { name: 'Visits of stages' }).focus();
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await page.waitForURL(/stages\/exit/);
    });

    it('§3.2 tells of a stage each visit by itself: attempts, response, changes, and why control continued', async () => {
      const { page } = await world.open(`#/runs/${done}/stages/draft`);
      const stage = inspector(page);
      await stage.getByLabel('Visit').selectOption({ index: 1 });
      await page.waitForURL(/visit=1/);
      await stage.getByRole('heading', { name: 'Attempts' }).waitFor();
      await stage.getByText('the model was busy').first().waitFor();
      await page.reload();
      await stage.getByRole('heading', { name: 'Attempts' }).waitFor();
      await page.goto(`${world.server.url}/#/runs/${done}/stages/verdict?visit=1`);
      await stage.getByText('along “once more”').waitFor();
    });

    it('§9.6 StageOutput: shows what a model says while it says it, its tools and its cost, all as text', async () => {
      const { id } = await world.server.submit(speaking(`Hello ${markup} there`));
      const { page, complaints } = await world.open(`#/runs/${id}/stages/talk?tab=cost`);
      await page.locator('.live-output', { hasText: `Let me think. Hello ${markup} there` }).waitFor();
      await page.locator('.budget', { hasText: 'Budget: $0.0210 of $0.0250' }).first().waitFor();
      await page.getByRole('row', { name: 'test/large' }).waitFor();
      await inspector(page).getByRole('heading', { name: 'Tool calls' }).waitFor();
      await inspector(page).getByText('read_file', { exact: true }).click();
      await keepPicture(page, 'run-speaking-light');
      await expectAccessible(page);
      const { run_dir: directory } = await world.server.get<{ readonly run_dir: string }>(`pipelines/${id}`);
      writeFileSync(path.join(directory, 'talk.go'), '');
      await page.locator('.live-output').waitFor({ state: 'detached' });
      await untilState(page, 'talk', 'done');
      await inspector(page).getByText(`Say: Hello ${markup} there`).first().waitFor();
      for (const name of ['Timeline', 'Stages', 'Events', 'Context', 'Cost']) {
        await tab(page, name).click();
        await page.locator('.tab-panel .loading').waitFor({ state: 'detached' });
      }
      expect(await page.evaluate('window.owned')).toBeUndefined();
      expect(await page.locator('main img, main script').count()).toBe(0);
      expect(complaints).toEqual([]);
    });

    it('stays quick with thousands of events and visits: only what is in sight is an element', async () => {
      const loop = `digraph loop {
      graph [max_steps=2000]
      start [shape=Mdiamond]
      exit [shape=Msquare]
      a [label="A"]
      b [label="B"]
      start -> a -> b
      b -> a [label="again"]
      b -> exit [label="done"]
    }`;
      const id = await world.submit(
        { dot: loop, simulate: true, script: { nodes: { b: { preferred_label: 'again' } } } },
        'fail',
      );
      const { page } = await world.open(`#/runs/${id}?tab=events`);
      await page.locator('.run-title [data-status="fail"]').waitFor();
      await page.locator('.event-type', { hasText: 'PipelineFailed' }).waitFor();
      const { seq } = await world.server.get<{ readonly seq: number }>(`pipelines/${id}`);
      expect(seq).toBeGreaterThan(5000);
      expect(await page.locator('.windowed-row').count()).toBeLessThan(100);
      const isAtEnd = `(() => {
      const { scrollTop, clientHeight, scrollHeight } = document.querySelector('.event-list');
      return scrollTop + clientHeight >= scrollHeight - 1;
    })()`;
      // A list that becomes lower still follows the latest event.
      await page.evaluate(`document.querySelector('.event-list').style.maxHeight = '140px'`);
      await expect.poll(() => page.evaluate(isAtEnd), { timeout: 60_000 }).toBe(true);
      expect(await page.getByLabel('Follow the latest event').getAttribute('aria-pressed')).toBe('true');
      await page.getByRole('listbox', { name: 'Events' }).focus();
      await page.keyboard.press('Home');
      await page.locator('.event-type', { hasText: 'PipelineStarted' }).waitFor();
      await page.getByLabel('Kind of event').selectOption('problems');
      await page.getByText(`1 of ${seq} events`).waitFor();
      await tab(page, 'Timeline').click();
      await page.getByText(/200\d visits in/).waitFor();
      expect(await page.locator('.windowed-row').count()).toBeLessThan(100);
      await keepPicture(page, 'run-long-light');
    });

    it('a key goes elsewhere in a list that is about to follow its end', async () => {
      const { page } = await world.open(`#/runs/${done}`);
      await untilState(page, 'exit', 'done');
      await page.evaluate(`new MutationObserver((_changes, observer) => {
      const list = document.querySelector('.event-list');
      if (list === null) return;
      observer.disconnect();
      list.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true }));
    }).observe(document.body, { childList: true, subtree: true })`);
      await tab(page, 'Events').click();
      await page.locator('[aria-label="Follow the latest event"][aria-pressed="false"]').waitFor();
      // Whatever was still to come of following the end has come with the second frame.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      await page.locator('.event-type', { hasText: 'PipelineStarted' }).waitFor();
      expect(await page.locator('.event-list').evaluate(({ scrollTop }) => scrollTop)).toBe(0);
    });

    it('says so where there is no such run, and where the pipeline has no such stage', async () => {
      const { page } = await world.open('#/runs/nothing');
      await page.getByRole('alert').getByText('nothing').waitFor();
      await page.goto(`${world.server.url}/#/runs/${done}/stages/nowhere`);
      await inspector(page).getByRole('alert').getByText('no stage "nowhere"').waitFor();
    });
  },
);
