import { expect, it } from 'vitest';
import { inBrowser } from './in-browser.js';
import { isFocused, leaveEditor } from './keyboard.js';
import {
  content,
  looped,
  openPlayground,
  passAMoment,
  patience,
  problems,
  valued,
  write,
} from './playground-page.js';
import { expectAccessible, keepPicture, type Sight, sights } from './screens.js';

// §9.5: writing a pipeline on the page: findings, completion, search, and every key to the one who types.

/** What a keyboard writes, brackets and quotes in pairs: the editor closes what is opened, and writes over what it closed. */
const printable =
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 !#$%&*+,-./:;<=>?@\\^_`|~ ()[]{}""\'\'';

/** A pipeline in one line: the list of completions would take the Enter key. */
const typed = `digraph typing { start [shape=Mdiamond] exit [shape=Msquare] pages [prompt="Go? grep 'up'!"] start -> pages -> exit } // ${printable}`;

inBrowser('the editor in a browser', {}, (world) => {
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

  it('begins a line after a word that is written already, although the list of completions is open', async () => {
    const { page } = await openPlayground(world);
    await write(page, '');
    await page.keyboard.type('digraph typing { start [shape=Mdiamond] exit [shape=Msquare] start -> exit');
    await page.locator('.cm-tooltip-autocomplete li[aria-selected]', { hasText: /^exit$/ }).waitFor();
    await passAMoment(page);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.cm-line').count(), patience).toBe(2);
    await page.getByText('this pipeline can run').waitFor();
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
});
