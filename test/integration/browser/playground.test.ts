import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { simulate } from '../../../src/run/simulate/simulate.js';
import { readScript } from '../../../src/run-directory/simulation-script.js';
import { type BrowserWorld, inBrowser } from './in-browser.js';
import { isFocused, leaveEditor } from './keyboard.js';
import { expectAccessible, keepPicture, type Sight, sights } from './screens.js';

// §9.5: the playground of the page, in a real browser against a real server.

/** On a machine that is busy with other tests, everything takes its time. */
const patience = { timeout: 60_000 };

const looped = `digraph looped {
  start [shape=Mdiamond]
  exit [shape=Msquare]
  work [prompt="Do it", max_retries=1]
  check [prompt="Check it"]
  gate [shape=hexagon, label="Ship it?"]
  start -> work -> check
  check -> gate [condition="outcome=success && context.tests.red < 1"]
  check -> work [condition="outcome=fail || context.tests.red >= 1"]
  gate -> exit [label="[A] Approve"]
  gate -> work [label="[F] Fix first"]
}
`;

const valued = `digraph valued {
  graph [inputs="channel: beta|stable = beta, version: string, files: list = [{\\"name\\": \\"a.ts\\"}, {\\"name\\": \\"b.ts\\"}]"]
  start [shape=Mdiamond]
  exit [shape=Msquare]
  plan [prompt="Plan \${inputs.version}", writes="verdict: pass|fail, plan: map"]
  work
  each [shape=component, foreach="\${inputs.files}", as=file, join=met]
  look [prompt="Look at \${context.file.name}"]
  met
  start -> plan -> work -> each -> look -> met -> exit
}
`;

/** What a keyboard writes, brackets and quotes in pairs: the editor closes what is opened, and writes over what it closed. */
const printable =
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 !#$%&*+,-./:;<=>?@\\^_`|~ ()[]{}""\'\'';

/** A pipeline in one line: the list of completions would take the Enter key. */
const typed = `digraph typing { start [shape=Mdiamond] exit [shape=Msquare] pages [prompt="Go? grep 'up'!"] start -> pages -> exit } // ${printable}`;

const content = (page: Page) => page.locator('.editor .cm-content');

/** Replaces the text as a person does who pastes: nothing is completed, and the browser styles nothing by itself. */
async function write(page: Page, text: string): Promise<void> {
  await content(page).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    const editor = document.querySelector('.editor').shadowRoot.querySelector('.cm-content');
    editor.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);
}

/** A list of completions takes keys a moment after it has opened, lest it takes one that was meant for the text: that moment passes. */
const passAMoment = (page: Page): Promise<unknown> =>
  page.evaluate('{ const { now } = Date; Date.now = () => now() + 1000; }');

const problems = (page: Page) => page.locator('.problem');
const path = (page: Page) => page.locator('.path li').allTextContents();

async function openPlayground(world: BrowserWorld, sight: Sight = 'light') {
  const opened = await world.open('#/playground', sight);
  await content(opened.page).waitFor();
  return opened;
}

inBrowser('the playground in a browser', {}, (world) => {
  it.each(Object.keys(sights) as Sight[])(
    'shows text, picture and simulator, and keeps nobody out (%s)',
    async (sight) => {
      const { page, complaints } = await openPlayground(world, sight);
      await write(page, looped.replace('max_retries=1', 'max_retires=1'));
      await problems(page).first().waitFor();
      await page.locator('.playground-picture svg.attractor, .playground-picture svg').first().waitFor();
      await page.getByRole('group', { name: 'Stages of looped' }).waitFor();
      await keepPicture(page, `playground-${sight}`);
      await expectAccessible(page);
      await write(page, looped);
      await page.getByRole('tab', { name: 'Simulator' }).click();
      await page.getByRole('form', { name: 'Outcome of work' }).waitFor();
      await page.getByRole('button', { name: 'Continue from work' }).click();
      await page.getByRole('form', { name: 'Outcome of check' }).waitFor();
      await page.getByRole('radio', { name: 'fail' }).check();
      await page.getByRole('button', { name: 'Continue from check' }).click();
      await page.getByRole('form', { name: 'Outcome of work' }).waitFor();
      await page.locator('.simulator-picture [data-state="running"]').waitFor();
      const ends = await page
        .locator('.path li')
        .evaluateAll((visits: { dataset: { status?: string } }[]) =>
          visits.map(({ dataset }) => dataset.status),
        );
      expect(ends).toEqual(['success', 'success', 'fail', 'running']);
      await keepPicture(page, `simulator-${sight}`);
      await expectAccessible(page);
      expect(complaints).toEqual([]);
    },
  );

  it('finds mistakes while they are typed, and makes the change that is offered', async () => {
    const { page } = await openPlayground(world);
    await write(page, looped.replace('max_retries=1', 'max_retires=1'));
    const fix = page.getByRole('button', { name: /^Fix: .*max_retries/ });
    await fix.click();
    await problems(page).filter({ hasText: 'max_retires' }).waitFor({ state: 'detached' });
    expect(await content(page).textContent()).toContain('max_retries=1');
    await write(page, looped.replace('-> exit', '-> exti'));
    await page.getByText(/^\d errors?, \d warnings?/).waitFor();
    const finding = problems(page).filter({ hasText: 'exti' }).first();
    await finding.waitFor();
    expect(await page.getByRole('button', { name: 'Run …' }).isDisabled()).toBe(true);
    await finding.locator('.problem-place').click();
    expect(await isFocused(content(page))).toBe(true);
  });

  it('completes with what the language has, and formats', async () => {
    const { page } = await openPlayground(world);
    await write(page, 'digraph g {start [shape=Mdiamond]\nexit [shape=Msquare]\nwork [shape=');
    await page.keyboard.press('Control+Space');
    await page.locator('.cm-tooltip-autocomplete').waitFor();
    await page.keyboard.type('hexa');
    await page.locator('.cm-tooltip-autocomplete li[aria-selected]').filter({ hasText: 'hexagon' }).waitFor();
    await passAMoment(page);
    await page.keyboard.press('Enter');
    await expect.poll(() => content(page).textContent(), patience).toContain('shape=hexagon');
    await write(page, 'digraph g {start [shape=Mdiamond]\nexit [shape=Msquare] start -> exit}');
    await page.keyboard.press('Shift+Alt+F');
    await expect.poll(() => page.locator('.cm-line').count(), patience).toBeGreaterThan(4);
  });

  it.each([
    [
      'the keys of reads, each with its type',
      'reads="',
      ['plan map', 'verdict pass|fail'],
      'ver',
      'reads="verdict"',
    ],
    [
      'the types of writes',
      'writes="found: ',
      ['any', 'boolean', 'integer'],
      'inte',
      'writes="found: integer"',
    ],
    [
      'inputs, each with its type',
      'prompt="Of ${inputs.',
      ['channel beta|stable', 'version string'],
      'ch',
      'prompt="Of ${inputs.channel',
    ],
    ['stages', 'prompt="After ${stages.', ['exit', 'plan', 'start'], 'pl', 'prompt="After ${stages.plan'],
    [
      'what a stage has said',
      'prompt="After ${stages.plan.',
      ['notes', 'outcome'],
      'outco',
      'prompt="After ${stages.plan.outcome',
    ],
    [
      'the words of a key in a condition',
      'retry_when="context.verdict=',
      ['fail', 'pass'],
      'pa',
      'retry_when="context.verdict=pass"',
    ],
  ] as const)('completes %s', async (_what, begun, offered, more, written) => {
    const { page } = await openPlayground(world);
    await write(page, valued);
    await page.locator('.editor .cm-line', { hasText: /^\s*work$/ }).click();
    await page.keyboard.press('End');
    await page.keyboard.type(` [${begun}`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Space');
    const options = page.locator('.cm-tooltip-autocomplete li');
    await options.first().waitFor();
    const texts = await options.evaluateAll(
      (found: readonly { children: Iterable<{ textContent: string }> }[]) =>
        found.map(({ children }) => Array.from(children, ({ textContent }) => textContent).join(' ')),
    );
    expect(texts).toEqual(expect.arrayContaining([...offered]));
    await page.keyboard.type(more);
    await expect.poll(() => options.count(), patience).toBe(1);
    await passAMoment(page);
    await page.keyboard.press('Enter');
    await expect.poll(() => content(page).textContent(), patience).toContain(`work [${written}`);
  });

  it.each(Object.keys(sights) as Sight[])('searches in fields that can be read (%s)', async (sight) => {
    const { page } = await openPlayground(world, sight);
    await write(page, looped);
    await page.keyboard.press('ControlOrMeta+f');
    const panel = page.locator('.editor .cm-search');
    await panel.waitFor();
    for (const control of await panel.locator('input:not([type=checkbox]), button').all())
      expect((await control.boundingBox())?.height).toBeGreaterThanOrEqual(24);
    await keepPicture(page, `playground-search-${sight}`);
    await expectAccessible(page);
  });

  it('leaves every printable character to who types a pipeline, in the editor and in the fields next to it', async () => {
    const { page } = await openPlayground(world);
    await write(page, '');
    await page.keyboard.type(typed);
    expect(await content(page).textContent()).toBe(typed);
    await page.getByText('this pipeline can run').waitFor();
    await page.keyboard.press('ControlOrMeta+f');
    const field = page.locator('.editor .cm-search input[name=search]');
    await expect.poll(() => isFocused(field), patience).toBe(true);
    await field.press('ControlOrMeta+a');
    await page.keyboard.type(printable);
    expect(await field.inputValue()).toBe(printable);
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Simulator' }).click();
    await page.getByText('Context and response').click();
    for (const name of [/^Response of the model/, /^Context updates/]) {
      const other = page.getByLabel(name);
      await other.click();
      await page.keyboard.type(printable);
      expect(await other.inputValue()).toBe(printable);
    }
    expect(await content(page).textContent()).toBe(typed);
    expect(new URL(page.url()).hash).toBe('#/playground');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('lets the keyboard out of the editor', async () => {
    const { page } = await openPlayground(world);
    await content(page).click();
    const isInside = () => isFocused(content(page));
    await page.keyboard.press('Tab');
    expect(await isInside()).toBe(true);
    await leaveEditor(page);
    await expect.poll(isInside, patience).toBe(false);
  });

  it('keeps the text over a reload, and the last good picture while it is broken', async () => {
    const { page } = await openPlayground(world);
    await write(page, looped);
    await page.getByRole('group', { name: 'Stages of looped' }).waitFor();
    await write(page, 'digraph looped { start [');
    await page.getByText('This is the last valid picture').waitFor();
    expect(await page.locator('.playground-picture svg').count()).toBeGreaterThan(0);
    await page.reload();
    await content(page).waitFor();
    expect(await content(page).textContent()).toBe('digraph looped { start [');
  });

  it('steps through a pipeline, says why, goes back, and exports a script that does the same', async () => {
    const { page } = await openPlayground(world);
    await write(page, looped);
    await page.getByRole('tab', { name: 'Simulator' }).click();
    await page.getByRole('button', { name: 'Continue from work' }).click();
    const check = page.getByRole('form', { name: 'Outcome of check' });
    await check.getByText('Context and response').click();
    await check.getByLabel(/^Context updates/).fill('tests.red=2');
    await page.getByRole('button', { name: 'Continue from check' }).click();
    await page.getByText('context.tests.red is 2').first().waitFor();
    expect(await path(page)).toEqual(['start', 'work', 'check', 'work']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await check.waitFor();
    expect(await path(page)).toEqual(['start', 'work', 'check']);
    await page.getByRole('button', { name: 'Redo' }).click();
    await expect.poll(() => path(page), patience).toEqual(['start', 'work', 'check', 'work']);
    const work = page.getByRole('form', { name: 'Outcome of work' });
    await work.getByRole('radio', { name: 'retry' }).check();
    await page.getByRole('button', { name: 'Continue from work' }).click();
    await page.getByRole('button', { name: /^Let .* pass/ }).click();
    await page.getByRole('button', { name: 'Run to the next choice' }).click();
    await check.getByText('Context and response').click();
    await check.getByLabel(/^Context updates/).fill('tests.red=0');
    await page.getByRole('button', { name: 'Continue from check' }).click();
    await page.getByRole('button', { name: '[A] Approve' }).click();
    await page.getByText('The run has ended: success.').waitFor();
    const walked = await path(page);
    expect(walked).toEqual(['start', 'work', 'check', 'work', 'check', 'gate', 'exit']);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export script' }).click(),
    ]);
    const script = readFileSync(await download.path(), 'utf8');
    const again = await simulate(looped, { script: readScript(parse(script), 'the export') });
    expect(again).toMatchObject({ status: 'success', path: walked });
  });

  it.each(Object.keys(sights) as Sight[])(
    '101, 106: simulates with inputs, names items, and shows values as trees (%s)',
    async (sight) => {
      const { page, complaints } = await openPlayground(world, sight);
      await write(page, valued);
      await page.getByText('this pipeline can run').waitFor();
      await page.getByRole('tab', { name: 'Simulator' }).click();
      const plan = page.getByRole('form', { name: 'Outcome of plan' });
      await plan.getByText('Context and response').click();
      await plan
        .getByLabel(/^Context updates/)
        .fill('plan={"steps":[{"do":"read"},{"do":"write"}],"sure":true}');
      await page.getByRole('button', { name: 'Continue from plan' }).click();
      await page.getByText(/changes of the context/).click();
      const tree = page.locator('.changes ins .tree');
      await tree.getByText('"steps": [').click();
      await tree.getByText('2 items ]').waitFor();
      await tree.getByText('"steps": [').click();
      await tree.getByText('"write"').waitFor();
      await page.getByRole('button', { name: 'Continue from work' }).click();
      const looks = page.getByRole('form', { name: 'Outcome of look' });
      await looks.nth(1).getByText('branch look#2 · file: {"name":"b.ts"}').waitFor();
      await keepPicture(page, `simulator-values-${sight}`);
      await expectAccessible(page);
      await page.getByText('Inputs', { exact: true }).click();
      const inputs = page.getByRole('form', { name: 'Inputs of the simulation' });
      await inputs.getByLabel(/^files/).fill('no list');
      await inputs.getByRole('button', { name: 'Restart with these inputs' }).click();
      await inputs
        .getByRole('alert')
        .getByText(/^files: .*list/)
        .waitFor();
      await inputs.getByLabel(/^files/).fill('["x.ts", "y.ts", "z.ts"]');
      await inputs.getByRole('button', { name: 'Restart with these inputs' }).click();
      await page.getByRole('button', { name: 'Continue from plan' }).click();
      await page.getByRole('button', { name: 'Continue from work' }).click();
      await looks.nth(2).getByText('file: z.ts').waitFor();
      expect(complaints).toEqual([]);
    },
  );

  it('keeps what somebody chooses while another text is on its way to the simulator', async () => {
    const { page } = await openPlayground(world);
    await write(page, looped);
    await page.getByRole('tab', { name: 'Simulator' }).click();
    await page.getByRole('button', { name: 'Continue from work' }).waitFor();
    await page.evaluate(`new MutationObserver((_changes, observer) => {
      if (document.querySelector('.simulator-old') === null) return;
      observer.disconnect();
      document.querySelector('form[aria-label="Outcome of work"]').requestSubmit();
    }).observe(document.body, { childList: true, subtree: true })`);
    await write(page, looped.replace('Check it', 'Check it well'));
    await page.getByRole('form', { name: 'Outcome of check' }).waitFor();
    await page.getByText('The text has changed since this simulation began.').waitFor();
    expect(await path(page)).toEqual(['start', 'work', 'check']);
  });

  it('runs the pipeline on the server, and says what that does not allow', async () => {
    const { page } = await openPlayground(world);
    await write(
      page,
      looped.replace('check [prompt="Check it"]', 'check [shape=parallelogram, tool_command="true"]'),
    );
    const run = page.getByRole('button', { name: 'Run …' });
    await run.click();
    const dialog = page.getByRole('dialog', { name: 'Run this pipeline' });
    await dialog.waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await dialog.getByText('not_allowed').first().waitFor();
    await keepPicture(page, 'playground-refused');
    await page.keyboard.press('Escape');
    await write(page, looped);
    await run.click();
    await dialog.getByLabel(/^Inputs/).fill('tests.red=0');
    await dialog.getByLabel(/^Simulate/).check();
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL(/#\/runs\/.*looped/);
  });

  it('101: asks for the inputs that a pipeline declares, by their types', async () => {
    const { page } = await openPlayground(world);
    const inputs = 'version: string, channel: beta|stable = beta, limit: integer, tags: list?';
    await write(
      page,
      looped
        .replace('start [', `graph [inputs="${inputs}"]\n  start [`)
        .replace('Do it', 'Do ${inputs.version}'),
    );
    await page.getByRole('button', { name: 'Run …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run this pipeline' });
    await dialog.getByLabel(/^version/).fill('1.10');
    await dialog.getByLabel(/^channel/).selectOption('stable');
    await dialog.getByLabel(/^limit/).fill('ten');
    await dialog.getByLabel(/^Simulate/).check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await dialog.getByText('limit: expected an integer, found "ten".').waitFor();
    await keepPicture(page, 'playground-inputs');
    await dialog.getByLabel(/^limit/).fill('3');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL(/#\/runs\/.*looped/);
  });

  it('73: shows texts of authors as texts, and runs none of them', async () => {
    const { page, complaints } = await openPlayground(world);
    const evil = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    await write(
      page,
      looped.replace('label="Ship it?"', `label="${evil}"`).replace('[A] Approve', `[A] ${evil}`),
    );
    await page.getByRole('tab', { name: 'Simulator' }).click();
    await page.getByRole('button', { name: 'Continue from work' }).click();
    const check = page.getByRole('form', { name: 'Outcome of check' });
    await check.getByText('Context and response').click();
    await check.getByLabel(/^Context updates/).fill(`tests.red=0\n${evil.replaceAll('=', '')}=${evil}`);
    await page.getByRole('button', { name: 'Continue from check' }).click();
    await page.getByRole('form', { name: 'Question of gate' }).getByText(evil).first().waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
