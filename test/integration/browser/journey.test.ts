import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { RunDetail } from '../../../src/server/api/run.js';
import { journalOf } from '../../support/journal-of.js';
import { inBrowser } from './in-browser.js';
import { leaveEditor, paste, pressWithKeys, tabTo } from './keyboard.js';
import { startPageProcess } from './page-process.js';
import { expectAccessible, keepPicture, type Sight, sights } from './screens.js';
import { endless } from './worlds.js';

// §9.5, §6.2, SEMANTICS 73 and 76: all that a person does with a pipeline, from its text to the report of its runs, in a
// browser at the process that `attractor serve` is, and without a mouse.

const text = `digraph release {
  graph [goal="Ship version 2.4 when the reviewers agree"]
  start [shape=Mdiamond]
  exit [shape=Msquare]
  build [label="Build and test", prompt="Build it, and run all tests", max_retires=1]
  gate [shape=hexagon, label="Ship it?"]
  start -> build -> gate
  gate -> exit [label="[A] Approve"]
  gate -> build [label="[F] Fix first"]
}
`;

const node = (page: Page, id: string, state: string): Locator =>
  page.locator(`.graph-frame [data-node="${id}"][data-state="${state}"]`);
const until = (where: Locator): Promise<void> => where.waitFor({ state: 'attached' });
const button = (where: Page | Locator, name: string | RegExp): Locator =>
  where.getByRole('button', { name, exact: true });
const runIn = (page: Page): string => /#\/runs\/([^/?]+)/.exec(page.url())?.[1] ?? '';
const status = (page: Page, name: string): Promise<void> =>
  page.locator(`.run-title [data-status="${name}"]`).waitFor();

inBrowser('the whole journey', startPageProcess, (world) => {
  const run = (id: string): Promise<RunDetail> => world.server.get(`pipelines/${id}`);

  it.each(Object.keys(sights) as Sight[])('is made by keyboard (%s)', async (sight) => {
    const { page, context, complaints } = await world.open('', sight);
    const see = async (screen: string, on: Page = page): Promise<void> => {
      await keepPicture(on, `journey-${screen}-${sight}`);
      await expectAccessible(on);
    };
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    expect(page.url()).not.toContain('token');

    await writeAndMend(page);
    await see('1-playground');
    await leaveEditor(page, 'Shift+Tab');
    await pressWithKeys(page, button(page, 'Run …'), 'Shift+Tab');
    const dialog = page.getByRole('dialog', { name: 'Run this pipeline' });
    await tabTo(page, dialog.getByLabel('Stages at most'));
    await page.keyboard.type('50');
    await see('2-run-dialog');
    await page.keyboard.press('Enter');

    await page.waitForURL(/#\/runs\/.*release/);
    const released = runIn(page);
    await until(node(page, 'gate', 'waiting'));
    await button(page, /Fix first/).waitFor();
    await see('3-gate');
    await page.keyboard.press('f');
    await until(page.locator('.graph-frame [data-node="build"]', { hasText: '2 ×' }));
    await page.reload();
    await until(node(page, 'gate', 'waiting'));
    await world.server.restart(() => page.getByText('The connection is lost').waitFor());
    await page.getByText('The connection is lost').waitFor({ state: 'detached' });
    await button(page, /Approve/).waitFor();
    await page.keyboard.press('a');
    await until(node(page, 'exit', 'done'));
    await status(page, 'success');
    await expectAllEvents(page, (await run(released)).run_dir);
    await see('4-done');

    const { id: index } = await world.server.submit(endless);
    await page.keyboard.press('g');
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('nightly');
    const link = page.getByRole('link', { name: 'nightly_index' });
    await link.first().waitFor();
    await page.getByRole('link', { name: 'release' }).first().waitFor({ state: 'detached' });
    await see('5-runs');
    await pressWithKeys(page, link.first());
    await page.waitForURL((url) => url.hash.includes(index));
    await until(node(page, 'index', 'running'));
    await pressWithKeys(page, button(page, 'Cancel'));
    await see('6-cancel');
    await pressWithKeys(page, button(page.getByRole('dialog'), 'Cancel the run'));
    await status(page, 'cancelled');
    await see('7-cancelled');
    await pressWithKeys(page, button(page, 'Resume'));
    await see('8-resume');
    await pressWithKeys(page, button(page.getByRole('dialog'), 'Resume'));
    await status(page, 'running');
    await until(node(page, 'index', 'running'));
    await pressWithKeys(page, button(page, 'Cancel'));
    await pressWithKeys(page, button(page.getByRole('dialog'), 'Cancel the run'));
    await status(page, 'cancelled');

    await page.goto(`${world.server.url}/#/runs/${released}`);
    await status(page, 'success');
    await forkBeforeTheGate(page, () => see('9-fork'));
    await page.waitForURL((url) => runIn(page) !== released && url.hash.startsWith('#/runs/'));
    const forked = runIn(page);
    await button(page, /Approve/).waitFor();
    await page.keyboard.press('a');
    await status(page, 'success');
    expect(await run(forked)).toMatchObject({
      status: 'success',
      forked_from: { run_id: released },
    });

    await tabTo(page, page.getByRole('link', { name: 'Report' }));
    const [report] = await Promise.all([context.waitForEvent('page'), page.keyboard.press('Enter')]);
    await report.waitForLoadState();
    for (const name of ['Build and test', 'Ship it?'])
      await report.getByText(name).filter({ visible: true }).first().waitFor();
    await see('10-report', report);
    // That the server was away for a while is nothing that the page could help.
    expect(complaints.filter((complaint) => !complaint.includes('net::ERR_'))).toEqual([]);
  });
});

/** Goes to the playground, pastes the pipeline, and has a mistake mended as the page offers. */
async function writeAndMend(page: Page): Promise<void> {
  await page.keyboard.press('p');
  const editor = page.locator('.editor .cm-content');
  await editor.waitFor();
  await tabTo(page, editor);
  await page.keyboard.press('ControlOrMeta+a');
  await paste(page, text);
  await page.locator('.problem', { hasText: 'max_retires' }).waitFor();
  await page.getByRole('group', { name: 'Stages of release' }).waitFor();
  await leaveEditor(page);
  await pressWithKeys(page, page.getByRole('button', { name: /^Fix: .*max_retries/ }));
  await page.locator('.problem', { hasText: 'max_retires' }).waitFor({ state: 'detached' });
  expect(await editor.textContent()).toContain('max_retries=1');
}

/** Every event of the journal is on the page, once and in order, and some are from before the reload and the end of the process. */
async function expectAllEvents(page: Page, runDirectory: string): Promise<void> {
  const tabs = page.getByRole('tab');
  await tabTo(page, tabs.first());
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const list = page.getByRole('listbox', { name: 'Events' });
  await tabTo(page, list);
  const journal = journalOf(runDirectory).map(({ seq }) => seq);
  const seen = new Set<number>();
  await page.keyboard.press('Home');
  for (const seq of journal) {
    const row = page.locator('.event-seq').getByText(String(seq), { exact: true });
    await row.waitFor();
    expect(await row.count(), `event ${seq}`).toBe(1);
    seen.add(seq);
    await page.keyboard.press('ArrowDown');
  }
  expect([...seen]).toEqual(journal.map((_, index) => index + (journal[0] ?? 0)));
}

async function forkBeforeTheGate(page: Page, see: () => Promise<void>): Promise<void> {
  await pressWithKeys(page, button(page, 'Fork'));
  const dialog = page.getByRole('dialog', { name: 'Fork release' });
  // A run that has ended offers no fork from its end, so that the nodes come first.
  expect(await dialog.getByRole('radio', { name: 'Before the last visit of a node' }).isChecked()).toBe(true);
  const nodes = dialog.getByRole('combobox', { name: 'Node' });
  // The nodes come with the events of the run: a letter pressed before would choose none.
  await nodes.locator('option', { hasText: 'gate' }).waitFor({ state: 'attached' });
  await tabTo(page, nodes);
  // The first letter, which no other has: letters are one word to a list only where they come within a second.
  await page.keyboard.press('g');
  expect(await nodes.inputValue()).toBe('gate');
  await see();
  await pressWithKeys(page, button(dialog, 'Fork'));
}
