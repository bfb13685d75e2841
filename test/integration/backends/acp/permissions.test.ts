import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PermissionPolicy } from '../../../../src/backends/acp/acp-agent.js';
import { eventsOf, pipeline, testEach } from '../../../run/harness.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import type { Step } from './fake-agent.js';
import { play, says } from './play.js';

interface Wish {
  readonly name: string;
  readonly policy?: PermissionPolicy;
  readonly toolCall: object;
  readonly options?: readonly object[];
  /** What a person says who is asked. */
  readonly answer?: string;
  readonly expected: string;
  readonly says?: RegExp;
}

const edit = (file: string) => ({ title: 'Edit', kind: 'edit', locations: [{ path: file }] });
const command = { title: 'rm -rf build', kind: 'execute', rawInput: { command: 'rm -rf build' } };
const verdict = { title: 'report_outcome (attractor MCP Server)', kind: 'other' };

const wishes: readonly Wish[] = [
  { name: 'a change of a file is allowed, once', toolCall: edit('a/new.txt'), expected: 'yes' },
  { name: 'a command is allowed', toolCall: command, expected: 'yes' },
  {
    name: 'a change outside the working directory is not',
    toolCall: edit('../outside.txt'),
    expected: 'no',
    says: /not allowed to change \.\.\/outside\.txt/,
  },
  { name: 'nor by its absolute path', toolCall: edit('/etc/passwd'), expected: 'no' },
  { name: 'nor behind a link that leads out', toolCall: edit('link/there'), expected: 'no' },
  { name: 'nor through a link that leads nowhere yet', toolCall: edit('broken'), expected: 'no' },
  {
    name: 'nor where only the difference tells of it',
    toolCall: { title: 'Edit', kind: 'edit', content: [{ type: 'diff', path: '/etc/x', newText: '' }] },
    expected: 'no',
  },
  {
    name: 'what is read is not confined',
    toolCall: { title: 'Read', kind: 'read', locations: [{ path: '/usr/include/stdio.h' }] },
    expected: 'yes',
  },
  {
    name: 'where the agent offers only a lasting permission, it has that',
    toolCall: command,
    options: [{ optionId: 'ever', name: 'Ever', kind: 'allow_always' }],
    expected: 'ever',
  },
  { name: 'under "deny" nothing is', policy: 'deny', toolCall: command, expected: 'no', says: /"deny"/ },
  {
    name: 'an agent that offers no refusal is told that nobody answered',
    policy: 'deny',
    toolCall: command,
    options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
    expected: 'cancelled',
  },
  { name: 'the verdict always is', policy: 'deny', toolCall: verdict, expected: 'yes' },
  {
    name: 'in the spelling of Claude Code too',
    policy: 'deny',
    toolCall: { title: 'mcp__attractor__report_outcome', kind: 'other' },
    expected: 'yes',
  },
  {
    name: 'in that of Codex, for which it is a command',
    policy: 'deny',
    toolCall: { title: 'x', kind: 'execute', rawInput: { server: 'attractor', tool: 'report_outcome' } },
    expected: 'yes',
  },
  {
    name: 'a command of that name is a command',
    policy: 'deny',
    toolCall: { title: 'report_outcome: {}; rm -rf build; {}', kind: 'execute' },
    expected: 'no',
  },
  {
    name: 'under "ask" a person allows it',
    policy: 'ask',
    toolCall: command,
    answer: 'Y',
    expected: 'yes',
  },
  {
    name: 'or refuses it',
    policy: 'ask',
    toolCall: command,
    answer: 'N',
    expected: 'no',
  },
];

describe('a permission', () => {
  testEach(wishes, async ({ policy, toolCall, options, answer, expected, says: words }) => {
    const step: Step = { do: 'ask', toolCall, ...(options && { options }) };
    const { result, agent, log } = await play([[step, says('Done.')]], {
      ...(policy && { settings: { permissions: policy } }),
      ...(answer && { setup: { interviewer: { ask: async () => ({ value: answer }) } } }),
      links: { link: '/etc', broken: '/nowhere/at/all' },
    });
    expect(result.status).toBe('success');
    const [{ outcome } = { outcome: undefined }] = agent.noted('permission');
    const chosen = outcome as { readonly outcome: string; readonly optionId?: string };
    expect(chosen.optionId ?? chosen.outcome).toBe(expected);
    if (words !== undefined) expect(log.join('\n')).toMatch(words);
  });

  test('the question says what it is about', async () => {
    const { events } = await play([[{ do: 'ask', toolCall: command }, says('Done.')]], {
      settings: { permissions: 'ask' },
      setup: { interviewer: { ask: async () => ({ value: 'Y' }) } },
    });
    expect(eventsOf(events, 'InterviewStarted')).toMatchObject([
      { stage: 'work', question: { text: expect.stringMatching(/fake asks for permission: rm -rf build/) } },
    ]);
  });

  test('where nobody can be asked the run pauses, and nothing is left at work', async () => {
    const { result, agent } = await play([[{ do: 'ask', toolCall: command }, says('Done.')]], {
      settings: { permissions: 'ask' },
      setup: { interviewer: { ask: async () => undefined } },
      // One that minds SIGTERM may be gone before it has heard the answer.
      script: { deaf: true },
    });
    expect(result.status).toBe('paused');
    expect(agent.noted('permission')).toMatchObject([{ outcome: { outcome: 'cancelled' } }]);
  });
});

describe('files of an agent that asks us for them all the same', () => {
  const call = (method: string, params: object): Step => ({
    do: 'fs',
    method: `fs/${method}_text_file`,
    params,
  });

  test('are written and read in the working directory', async () => {
    const { agent, workplace } = await play([
      [
        call('write', { path: 'new/a.txt', content: 'one\ntwo\nthree\n' }),
        call('read', { path: 'new/a.txt' }),
        call('read', { path: 'new/a.txt', line: 2, limit: 1 }),
        says('Done.'),
      ],
    ]);
    expect(readFileSync(path.join(workplace, 'new/a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
    expect(agent.noted('fs').map(({ reply }) => reply)).toEqual([
      {},
      { content: 'one\ntwo\nthree\n' },
      { content: 'two' },
    ]);
  });

  test('are not written under "deny"', async () => {
    const { agent, workplace } = await play(
      [[call('write', { path: 'a.txt', content: 'x' }), says('Done.')]],
      { settings: { permissions: 'deny' } },
    );
    expect(existsSync(path.join(workplace, 'a.txt'))).toBe(false);
    expect(agent.noted('fs')[0]?.reply).toMatchObject({ error: expect.stringContaining('may not change') });
  });

  test('and nowhere else', async () => {
    const { agent, workplace } = await play(
      [
        [
          call('write', { path: '../out.txt', content: 'x' }),
          call('write', { path: 'broken', content: 'x' }),
          call('read', { path: '/etc/hostname' }),
          call('read', { path: 'link/hostname' }),
          call('read', { path: 'missing.txt' }),
          says('Done.'),
        ],
      ],
      { links: { link: '/etc', broken: '../out.txt' } },
    );
    const replies = agent.noted('fs').map(({ reply }) => reply as { error: string; code: number });
    expect(replies.map(({ error }) => /outside the working directory/.test(error))).toEqual([
      ...[true, true, true, true],
      false,
    ]);
    expect(replies[4]).toMatchObject({ code: -32002 });
    expect(existsSync(path.join(workplace, '../out.txt'))).toBe(false);
  });
});

test('104: values that are too long for the prompt are read under "deny" too, and other files of the run are not', async () => {
  const found = 'finding '.repeat(30_000);
  const hash = createHash('sha256').update(found).digest('hex').slice(0, 16);
  const runDirectory = path.join(temporaryDirectory(), 'run');
  const file = path.join(runDirectory, `work/value-${hash}.txt`);
  const read = (place: string): Step => ({ do: 'fs', method: 'fs/read_text_file', params: { path: place } });
  const asks = (...places: readonly string[]): Step => ({
    do: 'ask',
    toolCall: { title: 'Read', kind: 'read', locations: places.map((place) => ({ path: place })) },
  });
  const journal = path.join(runDirectory, 'events.jsonl');
  const { result, agent } = await play(
    [[read(file), read(journal), asks(file), asks(journal), asks(file, journal), says('Done.')]],
    {
      settings: { permissions: 'deny' },
      attributes: 'max_retries=0,',
      dot: pipeline('work [prompt="${inputs.found}"]', 'start -> work -> exit'),
      setup: { inputs: { found }, runDirectory },
    },
  );
  expect(result.failure_reason).toBeUndefined();
  expect(agent.noted('prompt')[0]).toMatchObject({ text: expect.stringContaining(JSON.stringify(file)) });
  expect(agent.noted('fs').map(({ reply }) => reply)).toMatchObject([
    { content: found },
    { error: expect.stringContaining('outside the working directory') },
  ]);
  expect(agent.noted('permission').map(({ outcome }) => outcome)).toMatchObject(
    ['yes', 'no', 'no'].map((optionId) => ({ optionId })),
  );
});

test('two agents at work at the same time do not hear each other', async () => {
  const dot = pipeline(
    'fan [shape=component]',
    'join [shape=tripleoctagon, prompt=""]',
    'start -> fan',
    'fan -> a',
    'fan -> b',
    'a -> join',
    'b -> join',
    'join -> exit',
  );
  const { result, agent } = await play(
    [[{ do: 'verdicts', inputs: [{ outcome: 'success' }] }, says('Done.')]],
    { dot, attributes: 'fidelity=truncate,' },
  );
  expect(result.status).toBe('success');
  expect(agent.noted('started')).toHaveLength(2);
  expect(agent.noted('verdict').map(({ isError }) => isError)).toEqual([false, false]);
});
