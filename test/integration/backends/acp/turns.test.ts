import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConversation } from '../../../../src/run-directory/conversation-file.js';
import { conversationSteps } from '../../../../src/view/conversation/conversation-steps.js';
import { eventsOf, fileOf, pipeline, testEach } from '../../../run/harness.js';
import type { AgentScript, Step } from './fake-agent.js';
import { ends, type Play, play, says, updates } from './play.js';

describe('what an agent tells of its turn', () => {
  test('answers, thoughts and tools become progress; the response is what it said', async () => {
    const { events, directory, result } = await play([
      [
        updates('agent_thought_chunk', { content: { type: 'text', text: 'Hm.' } }),
        says('First '),
        says('words.'),
        updates('tool_call', { toolCallId: '1', title: 'Look', kind: 'read', status: 'pending' }),
        updates('tool_call_update', { toolCallId: '1', rawInput: { path: 'a' }, status: 'in_progress' }),
        updates('tool_call_update', { toolCallId: '1', status: 'failed', rawOutput: { error: 'no' } }),
        updates('plan', { entries: [] }),
        updates('something_new', { anything: true }),
        says('Last words.'),
        updates('tool_call', { toolCallId: '2', name: 'shell', rawInput: { command: 'ls' } }),
      ],
    ]);
    expect(result.status).toBe('success');
    expect(fileOf(directory, 'work', 'response.md')).toBe('First words.\n\nLast words.');
    const output = eventsOf(events, 'StageOutput').map(({ channel, text }) => `${channel}: ${text}`);
    expect(output.join('|')).toMatch(/^reasoning: Hm\.\|response: First .*words\..*Last words\.$/s);
    expect(eventsOf(events, 'ToolCallStarted')).toMatchObject([
      { call_id: '1', tool: 'read', input: { path: 'a' } },
      { call_id: '2', tool: 'shell', input: { command: 'ls' } },
    ]);
    expect(eventsOf(events, 'ToolCallCompleted')).toMatchObject([
      { call_id: '1', tool: 'read', success: false, output: '{"error":"no"}' },
      { call_id: '2', tool: 'shell', success: false, output: expect.stringContaining('did not say') },
    ]);
  });

  const started = { toolCallId: '1', kind: 'execute', title: 'bash', status: 'pending' };
  const piece = (data: string) =>
    updates('tool_call_update', { toolCallId: '1', _meta: { terminal_output: { data, terminal_id: '1' } } });
  const text = (words: string) => [{ type: 'content', content: { type: 'text', text: words } }];
  const ended = { toolCallId: '1', status: 'completed' };

  test.each<{
    readonly name: string;
    readonly turn: readonly Step[];
    readonly shown: readonly [object, string];
  }>([
    {
      name: 'an input that is complete only after the announcement (OpenCode)',
      turn: [
        updates('tool_call', { ...started, rawInput: { cwd: '/a' } }),
        updates('tool_call_update', {
          ...started,
          ...{ status: 'in_progress', title: 'ls', rawInput: { command: 'ls', cwd: '/a' } },
        }),
        updates('tool_call_update', { ...ended, content: text('b\n'), rawOutput: { output: 'b\n' } }),
      ],
      shown: [{ command: 'ls', cwd: '/a' }, 'b\n'],
    },
    {
      name: 'an input that is only a directory',
      turn: [
        updates('tool_call', { ...started, rawInput: { cwd: '/a' } }),
        updates('tool_call_update', { ...ended, content: text('b') }),
      ],
      shown: [{ cwd: '/a' }, 'b'],
    },
    {
      name: 'an output that comes in pieces (Codex)',
      turn: [
        updates('tool_call', { ...started, rawInput: { command: 'ls' }, content: [{ type: 'terminal' }] }),
        piece('one\nt'),
        piece('wo\n'),
        updates('tool_call_update', { ...ended, _meta: { terminal_exit: { exit_code: 0 } } }),
      ],
      shown: [{ command: 'ls' }, 'one\ntwo\n'],
    },
    {
      name: 'the beginning and the end of a long output in pieces',
      turn: [
        updates('tool_call', { ...started, rawInput: { command: 'ls' } }),
        ...Array.from({ length: 3 }, (_, index) => piece(String(index).repeat(256 * 1024))),
        updates('tool_call_update', ended),
      ],
      shown: [
        { command: 'ls' },
        `${'0'.repeat(256 * 1024)}\n[… ${256 * 1024} bytes left out …]\n${'2'.repeat(256 * 1024)}`,
      ],
    },
    {
      name: 'an output without its decoration (Claude Code)',
      turn: [
        updates('tool_call', { ...started, rawInput: { command: 'ls' } }),
        updates('tool_call_update', { ...ended, rawOutput: 'b', content: text('```console\nb\n```') }),
      ],
      shown: [{ command: 'ls' }, 'b'],
    },
  ])('shows $name', async ({ turn, shown: [input, output] }) => {
    const { directory } = await play([[...turn, says('Done.')]]);
    const entries = readConversation(Buffer.from(fileOf(directory, 'work', 'conversation.jsonl'))).entries;
    const call = conversationSteps(entries).flatMap((step) => (step.kind === 'turn' ? step.parts : []));
    expect(call[0]).toMatchObject({ kind: 'call', input, result: { success: true, output } });
  });

  test('a flood of words comes through whole, and in order', async () => {
    const { directory } = await play([[{ do: 'flood', count: 20_000 }]]);
    const words = fileOf(directory, 'work', 'response.md').split(' ');
    expect(words).toEqual(Array.from({ length: 20_000 }, (_, index) => String(index)));
  });

  test('what is not a message is passed over, and said once', async () => {
    const garbage: Step = { do: 'garbage', text: 'warning: no colours\n[1,2]\n{"half":\n\n' };
    const { result, log } = await play([[garbage, says('Done.')]], { script: { banner: 'Welcome!' } });
    expect(result.status).toBe('success');
    expect(log.filter((line) => line.includes('not a message of its protocol'))).toEqual([
      expect.stringContaining('Welcome!'),
    ]);
  });

  test('what it says on its standard error is kept, the end of it', async () => {
    const words = `begin ${'x'.repeat(300_000)} end`;
    const { directory } = await play([[says('Done.')]], { script: { words } });
    const kept = fileOf(directory, 'work', 'stderr.log');
    expect(kept).toMatch(/^\[\d+ characters left out\]\nx+ end$/);
    expect(kept.length).toBeLessThan(210_000);
  });
});

interface Failing {
  readonly name: string;
  readonly turn: readonly Step[];
  readonly script?: Omit<AgentScript, 'turns'>;
  readonly settings?: Play['settings'];
  readonly agent?: string;
  readonly reason: RegExp;
  readonly category: 'retryable' | 'terminal';
}

const failures: readonly Failing[] = [
  { name: 'refuses', turn: [ends('refusal')], reason: /refuses to continue/, category: 'terminal' },
  {
    name: 'reaches its limit of requests',
    turn: [says('So far'), ends('max_turn_requests')],
    reason: /cut off.*limit of requests/,
    category: 'retryable',
  },
  {
    name: 'says that it was cancelled',
    turn: [says('So far'), ends('cancelled')],
    reason: /cancelled, although nobody cancelled it/,
    category: 'retryable',
  },
  {
    name: 'ends for an unknown reason',
    turn: [ends('tired')],
    reason: /an unknown reason: tired/,
    category: 'terminal',
  },
  { name: 'gives no reason at all', turn: [ends(undefined)], reason: /none given/, category: 'terminal' },
  { name: 'ends without a word', turn: [], reason: /without an answer/, category: 'retryable' },
  {
    name: 'dies in the middle',
    turn: [says('So far'), { do: 'die', code: 7, words: 'out of memory' }],
    reason: /ended in the middle of its work \(exit code 7\): out of memory/,
    category: 'retryable',
  },
  {
    name: 'writes a message that is too long',
    turn: [says('So far'), { do: 'garbage', text: 'x'.repeat(65_000_000) }],
    reason: /^fake wrote a message of more than 64 MB$/,
    category: 'retryable',
  },
  {
    name: 'is not an agent of this protocol',
    turn: [],
    script: { diesAtOnce: 2, words: 'unknown option --acp' },
    reason: /exit code 2\): unknown option --acp/,
    category: 'terminal',
  },
  {
    name: 'speaks another version',
    turn: [],
    script: { version: 9 },
    reason: /version 9 .* expected 1/,
    category: 'terminal',
  },
  {
    name: 'wants somebody to sign in',
    turn: [],
    script: { needsKey: true },
    reason: /sign in with the program itself/,
    category: 'terminal',
  },
  {
    name: 'says the status of its provider in a field',
    turn: [{ do: 'refuse', code: -32603, message: 'Internal error', data: { statusCode: 503 } }],
    reason: /Internal error/,
    category: 'retryable',
  },
  {
    name: 'says it in words',
    turn: [{ do: 'refuse', code: -32603, message: 'API Error: 400 the prompt is too long' }],
    reason: /too long/,
    category: 'terminal',
  },
  {
    name: 'has a fault of its own',
    turn: [{ do: 'refuse', code: -32603, message: 'Internal error', data: { details: 'undefined is not' } }],
    reason: /Internal error: undefined is not/,
    category: 'retryable',
  },
  {
    name: 'does not understand us',
    turn: [{ do: 'refuse', code: -32602, message: 'Invalid params' }],
    reason: /Invalid params/,
    category: 'terminal',
  },
  {
    name: 'tells of a failure next to a good end',
    agent: 'codex',
    turn: [
      says('So far'),
      ends('end_turn', {
        _meta: {
          jetbrains: {
            air: {
              sessionFailure: { severity: 'error', title: 'unexpected status 404 Not Found', actions: [] },
            },
          },
        },
      }),
    ],
    reason: /unexpected status 404/,
    category: 'terminal',
  },
  {
    name: 'is not heard of any more',
    turn: [says('Let me see'), { do: 'hang' }],
    settings: { idle_timeout: 0.5 },
    reason: /fake sent nothing for 0.5 seconds/,
    category: 'retryable',
  },
  {
    name: 'takes too long',
    turn: [says('Let me see'), { do: 'hang' }],
    settings: { wall_timeout: 1.5 },
    reason: /fake was not done after 1.5 seconds/,
    category: 'retryable',
  },
];

describe('a stage fails whose agent', () => {
  testEach(failures, async ({ turn, script, settings, agent, reason, category }) => {
    const played = await play([turn], {
      ...(script && { script }),
      ...(settings && { settings }),
      ...(agent && { name: agent }),
    });
    expect(played.result).toMatchObject({ status: 'fail', failed_node: 'work' });
    expect(played.result.failure_reason).toMatch(reason);
    expect(eventsOf(played.events, 'StageFailed')).toMatchObject([
      { outcome: { failure_category: category } },
    ]);
    expect(existsSync(path.join(played.directory, 'work', 'response.md'))).toBe(false);
  });
});

describe('an agent that is stopped', () => {
  test('leaves nobody behind, whatever it does not hear', async () => {
    const { result, agent } = await play([[{ do: 'spawn' }, says('Let me see'), { do: 'hang' }]], {
      script: { deaf: true },
      isCancelled: true,
    });
    expect(result.status).toBe('cancelled');
    expect(agent.noted('child')).toHaveLength(1);
    expect(agent.noted('deaf')).toHaveLength(1);
  });

  test('is told first, so that it can end its turn', async () => {
    // One that minds SIGTERM may be gone before it has its turn.
    const { agent } = await play([[says('Let me see'), { do: 'hang' }]], {
      script: { deaf: true },
      isCancelled: true,
    });
    expect(agent.noted('cancelled')).toHaveLength(1);
  });

  test('leaves nobody behind when it has ended by itself', async () => {
    const { result, agent } = await play([[{ do: 'spawn' }, says('Done.')]]);
    expect(result.status).toBe('success');
    expect(agent.noted('child')).toHaveLength(1);
  });
});

const choice = pipeline(
  'ship [shape=parallelogram, tool_command="true"]',
  'fix [shape=parallelogram, tool_command="true"]',
  'start -> work',
  'work -> ship [label="Ship"]',
  'work -> fix [label="Fix"]',
  'ship -> exit',
  'fix -> exit',
);

describe('where there is a choice to make', () => {
  test('an agent that just ends is reminded, in the same session', async () => {
    const verdict = { outcome: 'success', preferred_label: 'Fix' };
    const { result, agent, directory } = await play(
      [[says('Looked at it.')], [{ do: 'verdicts', inputs: [verdict] }, says('Fix it.')]],
      { dot: choice },
    );
    expect(result.path).toEqual(['start', 'work', 'fix', 'exit']);
    expect(agent.noted('started')).toHaveLength(1);
    expect(agent.noted('prompt')).toMatchObject([{}, { text: expect.stringContaining('report_outcome') }]);
    expect(fileOf(directory, 'work', 'response.md')).toBe('Looked at it.\n\nFix it.');
  });

  test('128: it is reminded once; then the stage fails', async () => {
    const { result, agent, log } = await play([[says('Looked at it.')]], { dot: choice });
    expect(result.status).toBe('fail');
    expect(result.failure_reason).toMatch(/ended without choosing .*, even after a reminder/);
    expect(agent.noted('prompt')).toHaveLength(2);
    expect(log).toContainEqual(expect.stringContaining('ended without calling report_outcome'));
  });

  test('a status file will do', async () => {
    const status = '{"outcome":"success","preferred_label":"Fix"}';
    const { result, agent } = await play([[{ do: 'status', content: status }, says('Done.')]], {
      dot: choice,
    });
    expect(agent.noted('prompt')).toHaveLength(1);
    expect(result.path).toEqual(['start', 'work', 'fix', 'exit']);
  });
});

describe('103: where the stage declares values', () => {
  const typed = pipeline('work [writes="plan: list"]', 'start -> work -> exit');
  const values = (plan: unknown) => ({ outcome: 'success', context_updates: { plan } });

  test('an agent that ends with others is told what is missing, in the same session', async () => {
    const { result, agent } = await play(
      [
        [{ do: 'verdicts', inputs: [values('a')] }, says('Done.')],
        [says('I did.')],
        [{ do: 'verdicts', inputs: [values(['a'])] }, says('Now.')],
      ],
      { dot: typed },
    );
    expect(result.context.plan).toEqual(['a']);
    expect(agent.noted('started')).toHaveLength(1);
    const asked = agent.noted('prompt').map(({ text }) => String(text));
    expect(asked[0]).toContain('Set in `context_updates`: plan (a list).');
    for (const text of asked.slice(1)) expect(text).toContain('plan: expected a list, found "a"');
    expect(asked).toHaveLength(3);
  });

  test('so is one that leaves them in a status file', async () => {
    const status = (plan: unknown): Step => ({ do: 'status', content: JSON.stringify(values(plan)) });
    const { result, agent } = await play(
      [
        [status('a'), says('Done.')],
        [status(['a']), says('Now.')],
      ],
      {
        dot: typed,
      },
    );
    expect(result.context.plan).toEqual(['a']);
    expect(agent.noted('prompt')[1]).toMatchObject({
      text: expect.stringContaining('plan: expected a list, found "a"'),
    });
  });
});
