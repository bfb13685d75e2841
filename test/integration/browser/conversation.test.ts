import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { NewConversationEntry } from '../../../src/handlers/conversation-entry.js';
import { sealed } from '../../../src/run-directory/hashed-line.js';
import type { Submission } from '../../../src/server/api/run.js';
import { heldModels } from '../../support/held-models.js';
import { calls, refuses, says } from '../../support/mock-models.js';
import { inBrowser } from './in-browser.js';
import { tabTo } from './keyboard.js';
import { expectAccessible, keepPicture, type Sight, sights } from './screens.js';

// SEMANTICS 123: the conversation of a stage as a thread, whatever a model says in it.

const planned: Submission = {
  dot: `digraph planned {
    start [shape=Mdiamond] exit [shape=Msquare]
    plan [label="Plan the release", prompt="Choose a database."]
    start -> plan -> exit
  }`,
};

const hostile = [
  '# The plan',
  '',
  'First **read** the `notes`, then:',
  '',
  '1. move the *accounts*',
  '2. run the tests',
  '   - twice',
  '',
  '> It was slow before.',
  '',
  '| step | time |',
  '|------|-----:|',
  '| move | 2 min |',
  '',
  '```ts',
  'export const limit = 3; // </pre><script>window.owned = 1</script>',
  '```',
  '',
  '<script>window.owned = 1</script><img src=x onerror="window.owned = 1">',
  '![pixel](https://tracker.example/pixel.png) [run](javascript:window.owned=1) [data](data:text/html,<script>1</script>)',
  '[the notes](https://example.org/notes "onclick=window.owned=1") <https://example.org/auto> <javascript:alert(1)>',
  '[local](#/runs) [file](file:///etc/passwd) [vb](vbscript:x) [tab](java\tscript:alert(1))',
  '',
  '---',
].join('\n');

const text = (words: string, type = 'text'): NewConversationEntry => ({
  kind: 'assistant',
  content: [{ type, text: words }],
});
const call = (id: string, toolName: string, input: object): NewConversationEntry => ({
  kind: 'assistant',
  content: [{ type: 'tool-call', toolCallId: id, toolName, input }],
});
const result = (call_id: string, tool: string, success: boolean, output: string): NewConversationEntry => ({
  kind: 'tool_result',
  call_id,
  tool,
  success,
  output,
  duration: 1240,
});
const usage = (cost_usd: number): NewConversationEntry => ({
  kind: 'usage',
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  usage: { requests: 1, input_tokens: 12_400, output_tokens: 310, cached_input_tokens: 9000, cost_usd },
});
const begun = (attempt: number): NewConversationEntry => ({
  kind: 'begun',
  run_id: 'r',
  node_id: 'plan',
  visit: 1,
  attempt,
  continues: false,
  backend: 'ai',
  model: 'anthropic/claude-sonnet-4-5',
  prompt_sha256: 'x',
});

const printed = Array.from({ length: 90 }, (_, line) =>
  line === 3 ? '\u001b[31mFAIL\u001b[0m accounts.test.ts' : `  ok ${line} a test that passes`,
).join('\n');

const before = Array.from({ length: 30 }, (_, line) => `const line${line} = ${line};`).join('\n');

const everything: readonly NewConversationEntry[] = [
  begun(1),
  { kind: 'user', text: `Choose a database.\n\n${'Mind what the team knows.\n'.repeat(20)}` },
  text('The notes come first. Let me think about the accounts.', 'reasoning'),
  text(hostile),
  call('1', 'read_file', { path: 'docs/notes.md' }),
  usage(0.0123),
  result('1', 'read_file', true, '# Notes\nPostgreSQL since 2019.'),
  { kind: 'person', text: 'Use PostgreSQL 17.', by: 'Ada', steering_id: 's1' },
  call('2', 'edit_file', {
    path: 'src/database.ts',
    old_text: before,
    new_text: before.replace('line4 = 4', 'line4 = "four"').replace('const line20 = 20;\n', ''),
  }),
  usage(0.002),
  result('2', 'edit_file', true, 'Replaced one occurrence.'),
  call('3', 'run_command', { command: 'npm test', timeout: 60, cwd: 'packages/accounts' }),
  usage(0.004),
  result('3', 'run_command', false, printed),
  { kind: 'compacted', summary: 'The notes name PostgreSQL; the edit is made.', turns: 2 },
  { kind: 'answered', outcome: { status: 'retry', failure_reason: 'one test fails' } },
  { kind: 'retried', reason: 'one test fails' },
  begun(2),
  { kind: 'user', text: 'Choose a database.\n\nAttempt 1 was not accepted: one test fails' },
  { kind: 'person', text: 'Yes, both.', question: 'Shall I fix the test too?' },
  { kind: 'assistant', content: [{ type: 'text', text: 'All **green** now.' }], end: 'complete' },
  usage(0.001),
  { kind: 'answered', outcome: { status: 'success', notes: 'PostgreSQL 17' } },
];

const thread = (page: Page): Locator => page.getByRole('list', { name: 'Conversation' });
const step = (page: Page, words: string): Locator =>
  thread(page).locator('> li').filter({ hasText: words }).first();
/** Where a step is on the screen. */
const topOf = (locator: Locator): Promise<number> =>
  locator.evaluate((element) => element.getBoundingClientRect().top);

inBrowser('the conversation of a stage in a browser', {}, (world) => {
  const written = async (entries: readonly NewConversationEntry[]): Promise<string> => {
    const id = await world.submit({ ...planned, simulate: true }, 'success');
    writeFileSync(
      path.join(world.server.directory, '.attractor/runs', id, 'plan/conversation.jsonl'),
      linesOf(entries),
    );
    return id;
  };

  it.each(Object.keys(sights) as Sight[])('is a thread that nothing in it escapes (%s)', async (sight) => {
    const id = await written(everything);
    const { page, complaints } = await world.open(`#/runs/${id}/stages/plan`, sight);
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.getByRole('tab', { name: 'Conversation' }).click();
    await page.waitForURL(/view=conversation/);
    await step(page, 'All green now.').waitFor();
    await keepPicture(page, `conversation-${sight}`);
    await expectAccessible(page);
    await expectHarmless(page);
    expect(requested.filter((url) => !url.startsWith(world.server.url))).toEqual([]);
    await expectEdit(page);
    await expectFolds(page);
    const person = step(page, 'Use PostgreSQL 17.');
    expect(await person.innerText()).toMatch(/Ada\s+a person/);
    expect(await step(page, 'Shall I fix the test too?').innerText()).toContain('Yes, both.');
    expect(await step(page, 'Turn 1').innerText()).toContain('12,400 in (9,000 cached) · 310 out · $0.012');
    await step(page, '2 older turns replaced by a summary').locator('summary').click();
    await step(page, 'The notes name PostgreSQL').waitFor();
    await page.getByRole('combobox', { name: 'Attempt' }).selectOption('attempt 2');
    await step(page, 'The plan').waitFor({ state: 'detached' });
    await step(page, 'Outcome: success: PostgreSQL 17').waitFor();
    await keepPicture(page, `conversation-attempt-${sight}`);
    expect(complaints).toEqual([]);
  });

  it('has texts to copy, and is gone through by keys', async () => {
    const id = await written(everything);
    const { page, context } = await world.open(`#/runs/${id}/stages/plan?view=conversation`);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const copy = step(page, 'All green now.').getByRole('button', { name: 'Copy the words of turn 4' });
    await copy.focus();
    await page.keyboard.press('Enter');
    await step(page, 'Copied the words of turn 4').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('All **green** now.');
    await tabTo(page, page.getByRole('tab', { name: 'Conversation' }));
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('region', { name: 'Outputs' }).waitFor();
  });

  it('of 2,000 turns stays small and quick, and every turn can be reached', async () => {
    const turns = Array.from({ length: 2000 }, (_, turn) => turn + 1).flatMap((turn) => [
      call(`c${turn}`, 'run_command', { command: `make part-${turn}` }),
      usage(0.001),
      result(`c${turn}`, 'run_command', true, `built part ${turn}\n`.repeat(20)),
    ]);
    const id = await written([begun(1), { kind: 'user', text: 'Build all.' }, ...turns]);
    const { page, complaints } = await world.open(`#/runs/${id}/stages/plan?view=conversation`);
    await page.getByText('2000 turns').waitFor();
    const steps = thread(page).locator('> li');
    expect(await steps.count()).toBe(60);
    await page.getByLabel('Turn', { exact: true }).fill('1500');
    await page.keyboard.press('Enter');
    const wanted = thread(page).locator('[data-step="1501"]');
    await wanted.getByText('Turn 1500').waitFor();
    const top = await topOf(wanted);
    expect(top).toBeGreaterThan(0);
    expect(top).toBeLessThan(400);
    const earlier = page.getByRole('button', { name: /^Show 60 earlier of/ });
    await earlier.focus();
    const place = await topOf(wanted);
    await page.keyboard.press('Enter');
    await thread(page).locator('[data-step="1441"]').waitFor();
    expect(Math.abs((await topOf(wanted)) - place)).toBeLessThan(3);
    for (let first = 1381; first > 1081; first -= 60) {
      await earlier.click();
      await thread(page).locator(`[data-step="${first}"]`).waitFor();
      expect(await steps.count()).toBeLessThanOrEqual(240);
    }
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await thread(page).getByText('Turn 2000').waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await thread(page).getByText('Build all.').waitFor();
    expect(await steps.count()).toBe(60);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  it('tells what is damaged, and what is not there', async () => {
    const id = await written([begun(1), text('Before the damage.')]);
    const file = path.join(world.server.directory, '.attractor/runs', id, 'plan/conversation.jsonl');
    writeFileSync(file, `${linesOf([begun(1), text('Before the damage.')])}nonsense\n`);
    const { page } = await world.open(`#/runs/${id}/stages/plan?view=conversation`);
    await page.getByText('1 line of conversation.jsonl is damaged and left out.').waitFor();
    await step(page, 'Before the damage.').waitFor();
    writeFileSync(file, '');
    await page.reload();
    await page.getByText('Nothing was said').waitFor();
    await expectAccessible(page);
  });

  it.each(['light', 'phone'] as const)(
    'grows while the stage runs, and leaves the reader where they are (%s)',
    async (sight) => {
      const looks = (path: string) => calls(['list_files', { path, note: `${path}\n`.repeat(30) }]);
      const { mock, release } = await heldModels([
        looks('one'),
        refuses(429, { retryAfter: 1 }),
        looks('two'),
        looks('three'),
        says('PostgreSQL it is.'),
      ]);
      await world.serve({
        extensions: { config: false, provider: 'anthropic', model: 'claude-sonnet-4-5' },
        variables: { ...mock.variables, PATH: process.env.PATH },
      });
      const id = await world.submit(planned, 'running');
      const { page, complaints } = await world.open(`#/runs/${id}/stages/plan?view=conversation`, sight);
      await step(page, 'Choose a database.').waitFor();
      release();
      await step(page, 'Turn 1').waitFor();
      release();
      await step(page, 'after HTTP 429').waitFor();
      release();
      await step(page, 'Turn 2').waitFor();
      const inspector = page.locator('.inspector');
      await expect.poll(() => distanceFromEnd(inspector)).toBeLessThan(40);
      await page.getByLabel('Tell it something while it works').fill('Use PostgreSQL.');
      await page.getByRole('button', { name: 'Tell', exact: true }).click();
      await page.getByText('waits for its next request').waitFor();
      await keepPicture(page, `conversation-live-${sight}`);
      await expectAccessible(page);
      await inspector.evaluate((box) => box.scrollTo(0, 0));
      await page.getByRole('button', { name: 'Follow', exact: true, pressed: false }).waitFor();
      const place = await topOf(step(page, 'Choose a database.'));
      release();
      await step(page, 'Use PostgreSQL.').waitFor();
      await step(page, 'Turn 3').waitFor();
      expect(await topOf(step(page, 'Choose a database.'))).toBe(place);
      await page.getByRole('button', { name: 'Follow', exact: true }).click();
      await expect.poll(() => distanceFromEnd(inspector)).toBeLessThan(40);
      release();
      await world.until(id, 'success');
      await step(page, 'PostgreSQL it is.').waitFor();
      await page.getByLabel('Tell it something while it works').waitFor({ state: 'detached' });
      // What the server refused, the browser does not complain about.
      expect(complaints).toEqual([]);
    },
  );
});

function linesOf(entries: readonly NewConversationEntry[]): string {
  const at = (index: number): string => new Date(Date.UTC(2026, 0, 1, 12, 0, index)).toISOString();
  return entries
    .map(({ kind, ...rest }, index) => `${sealed(JSON.stringify({ kind, at: at(index), ...rest }))}\n`)
    .join('');
}

/** No element comes of a text but those of Markdown, and no link leads elsewhere than to the web. */
async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate('window.owned')).toBeUndefined();
  expect(await page.locator('main img, main script, main iframe, main [onclick]').count()).toBe(0);
  const links = await thread(page)
    .locator('a')
    .evaluateAll((all) => all.map((one) => [one.getAttribute('href'), one.getAttribute('rel')]));
  const rel = 'noopener noreferrer nofollow';
  expect(links).toEqual([
    ['https://tracker.example/pixel.png', rel],
    ['https://example.org/notes', rel],
    ['https://example.org/auto', rel],
  ]);
  const said = step(page, 'The plan');
  expect(await said.getByText('<script>window.owned = 1</script><img src=x').count()).toBe(1);
  expect(await said.locator('.markdown th').allTextContents()).toEqual(['step', 'time']);
  expect(await said.locator('.markdown ol > li').count()).toBe(2);
}

async function expectEdit(page: Page): Promise<void> {
  const diff = step(page, 'src/database.ts').locator('.diff');
  expect(await diff.locator('[data-sign="-"]').allTextContents()).toEqual([
    '-const line4 = 4;\n',
    '-const line20 = 20;\n',
  ]);
  expect(await diff.locator('[data-sign="+"]').allTextContents()).toEqual(['+const line4 = "four";\n']);
  expect(await diff.locator('figcaption').innerText()).toMatch(/src\/database\.ts\s+\+1 −2/);
}

async function expectFolds(page: Page): Promise<void> {
  const tests = step(page, 'run_command npm test');
  expect(await tests.innerText()).toMatch(/failed\s+1\.2s/);
  expect(await tests.getByText('cwd: packages/accounts').count()).toBe(1);
  expect(await tests.locator('[data-ansi=red]').innerText()).toBe('FAIL');
  expect(await tests.getByText('ok 89').count()).toBe(0);
  await tests.getByRole('button', { name: 'Show all of the result: 82 more lines' }).click();
  await tests.getByText('ok 89').waitFor();
  await tests.getByRole('button', { name: 'Show less' }).click();
  await tests.getByText('ok 89').waitFor({ state: 'detached' });
}

function distanceFromEnd(box: Locator): Promise<number> {
  return box.evaluate(({ scrollTop, clientHeight, scrollHeight }) => scrollHeight - scrollTop - clientHeight);
}
