import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import { sealed } from '../../src/run-directory/hashed-line.js';
import { pipeline, runOnDisk } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { attractor } from './attractor.js';

const clearScreen = '\u001b[2J';

const backend: CodergenBackend = {
  run(_node, _prompt, _context, { attempt, report }) {
    report({ kind: 'text', channel: 'reasoning', text: 'First I look.' });
    report({ kind: 'text', channel: 'response', text: `# Plan\n\n- **look** ${clearScreen}\n- edit` });
    report({
      kind: 'model_used',
      provider: 'p',
      model: 'm',
      usage: { requests: 1, input_tokens: 1234, output_tokens: 5 },
    });
    report({ kind: 'tool_call_started', call_id: '1', tool: 'run_command', input: { command: 'npm test' } });
    const output = Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n');
    const end = { success: false, output, duration: 1500 };
    report({ kind: 'tool_call_completed', call_id: '1', tool: 'run_command', ...end });
    const input = { path: 'a.txt', old_text: 'one\ntwo\n', new_text: 'one\nthree\n' };
    report({ kind: 'tool_call_started', call_id: '2', tool: 'edit_file', input });
    const edited = { success: true, output: 'Replaced one occurrence.', duration: 3 };
    report({ kind: 'tool_call_completed', call_id: '2', tool: 'edit_file', ...edited });
    const outcome = { status: 'retry', failure_reason: 'tests are red' } as const;
    return Promise.resolve(
      attempt === 1
        ? { response: 'Not yet.', outcome }
        : { response: 'Done.', outcome: { status: 'success', notes: 'green' } },
    );
  },
};

const dot = pipeline(
  'work [prompt="Make it green.", max_retries=1, retry_policy=none]',
  'other [prompt="Look at it."]',
  'start -> work -> other -> exit',
);

async function ran(text = dot) {
  const cwd = temporaryDirectory();
  await runOnDisk(text, { backend, runDirectory: path.join(cwd, 'r') });
  return { cwd, logs: (...args: readonly string[]) => attractor(['logs', 'r', ...args], { cwd }) };
}

/** Without times and ids of runs, which differ. */
const withoutTimes = (text: string): string =>
  text.replaceAll(/\d\d:\d\d:\d\d/g, 'TIME').replaceAll(/\d{8}-\d{6}-G-\w+/g, 'RUN');

test('123: a conversation is printed with its attempts, turns, calls, results and edits', async () => {
  const { logs } = await ran();
  const { status, stdout, stderr } = await logs('work', '--conversation');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(withoutTimes(stdout)).toMatchInlineSnapshot(`
    " work 

    ── attempt 1 · custom ── 2026-01-01 TIME

    prompt:
    Make it green.

    turn 1 · 2026-01-01 TIME · 1,234 in · 5 out
    First I look.
    Plan

    • look ␛[2J
    • edit
    → run_command npm test failed 1.5s
      line 0
      line 1
      line 2
      line 3
      line 4
      line 5
      line 6
      line 7
      … 12 more lines (--full shows all)

    turn 2 · 2026-01-01 TIME
    → edit_file a.txt ok 3ms
      a.txt +1 -1
       one
      -two
      +three

    outcome: retry: tests are red

    tried again: tests are red

    ── attempt 2 · custom ── 2026-01-01 TIME

    prompt:
    You work on one stage of a longer run. This is what happened before; your task is below the line.
    - Run: RUN
    - Your stage: work
    - This is attempt 2. The one before failed: tests are red

    ---

    Make it green.

    Attempt 1 at this was not accepted: tests are red

    turn 3 · 2026-01-01 TIME · 1,234 in · 5 out
    First I look.
    Plan

    • look ␛[2J
    • edit
    → run_command npm test failed 1.5s
      line 0
      line 1
      line 2
      line 3
      line 4
      line 5
      line 6
      line 7
      … 12 more lines (--full shows all)

    turn 4 · 2026-01-01 TIME
    → edit_file a.txt ok 3ms
      a.txt +1 -1
       one
      -two
      +three

    outcome: success: green
    "
  `);
});

test('123: an attempt, a full text and all stages can be chosen', async () => {
  const { logs } = await ran();
  const second = await logs('work', '--conversation', '--attempt', '2');
  expect(second.stdout).toContain('attempt 2');
  expect(second.stdout).not.toContain('attempt 1 ·');
  const full = await logs('--node', 'work', '--conversation', '--full');
  expect(full.stdout).toContain('line 19');
  const all = await logs('--conversation');
  expect(all.stdout).toMatch(/ work [\s\S]* other /);
});

test('123: the lines of a conversation are printed as JSON', async () => {
  const { logs } = await ran();
  const { stdout } = await logs('other', '--conversation', '--json');
  const kinds = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).kind);
  expect(kinds.slice(0, 2)).toEqual(['begun', 'user']);
  expect(kinds.at(-1)).toBe('answered');
});

test('123: a conversation is followed to the end of its run', async () => {
  const { logs } = await ran();
  const followed = await logs('work', '--conversation', '--follow');
  const printed = await logs('work', '--conversation');
  // It exits as the run did, in which the other stage fails.
  expect(followed).toEqual({ ...printed, status: 1 });
});

test('123: a visit can be chosen, and the latest one is the default', async () => {
  const { logs } = await ran(
    pipeline(
      'work [prompt="Again.", max_retries=1, retry_policy=none]',
      'check [shape=parallelogram, tool_command="test $ATTRACTOR_VISIT -ge 2"]',
      'start -> work -> check',
      'check -> exit [condition="outcome=success"]',
      'check -> work [condition="outcome=fail"]',
    ),
  );
  const latest = await logs('work', '--conversation');
  expect(latest.stdout).toMatch(/^ work, visit 2 $/m);
  expect(latest.stderr).toBe('attractor: earlier visits: --visit 1\n');
  const first = await logs('work', '--conversation', '--visit', '1');
  expect(first.stdout).toMatch(/^ work $/m);
  expect(await logs('work', '--conversation', '--visit', '7')).toMatchObject({
    status: 2,
    stderr: 'attractor: stage "work" has no visit 7: there are visits 1 to 2\n',
  });
});

test('123: damage and mistakes are reported', async () => {
  const { cwd, logs } = await ran();
  appendFileSync(path.join(cwd, 'r', 'work', 'conversation.jsonl'), 'no json\n{"torn');
  const damaged = await logs('work', '--conversation');
  expect(damaged.stderr).toBe('attractor: damaged lines of conversations were skipped: 1\n');
  expect(damaged.status).not.toBe(0);
  expect(damaged.stdout).toContain('Make it green.');
  writeFileSync(path.join(cwd, 'r', 'work', 'conversation.jsonl'), '');
  expect(await logs('work', '--conversation')).toMatchObject({
    status: 0,
    stderr: 'attractor: there is no conversation with a model or an agent\n',
  });
  expect((await logs('wrok', '--conversation')).stderr).toBe(
    'attractor: this run has no stage "wrok" (did you mean "work"?)\n',
  );
  expect((await logs('--visit', '1')).stderr).toContain('add --conversation');
  expect((await logs('--conversation', '--visit', '1')).stderr).toContain('name the stage too');
});

test('123: a conversation longer than a page, with an entry longer than that, is printed whole', async () => {
  const { cwd, logs } = await ran();
  const words = Array.from(
    { length: 1000 },
    (_, turn) => `${turn} ${'x'.repeat(turn === 500 ? 3_000_000 : 3000)}`,
  );
  const entry = (text: string) =>
    sealed(JSON.stringify({ kind: 'user', at: '2026-01-01T00:00:00.000Z', text }));
  const lines = words.map((text) => `${entry(text)}\n`).join('');
  writeFileSync(path.join(cwd, 'r', 'other', 'conversation.jsonl'), lines);
  const { stdout, status } = await logs('other', '--conversation', '--json');
  expect(status).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).text),
  ).toEqual(words);
});
