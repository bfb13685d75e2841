import { expect, test } from 'vitest';
import type { CodergenBackend } from '../../../src/handlers/codergen-backend.js';
import { fileOf, pipeline, runPipeline } from '../harness.js';

const usage = { requests: 1, input_tokens: 12, output_tokens: 3, cost_usd: 0.5 };
const dot = pipeline('work [prompt="Do the work.", max_retries=1]', 'start -> work -> exit');

function entriesIn(directory: string): readonly Readonly<Record<string, unknown>>[] {
  const lines = fileOf(directory, 'work', 'conversation.jsonl').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

const withoutTimes = (directory: string): readonly unknown[] =>
  entriesIn(directory).map(({ at, run_id, prompt_sha256, hash, ...rest }) => rest);

test('123: words, calls and results of any backend are kept in order', async () => {
  const backend: CodergenBackend = {
    run(_node, _prompt, _context, { report }) {
      report({ kind: 'text', channel: 'reasoning', text: 'Hm' });
      report({ kind: 'text', channel: 'reasoning', text: 'm.' });
      report({ kind: 'text', channel: 'response', text: 'I look.' });
      report({ kind: 'tool_call_started', call_id: '1', tool: 'look', input: { at: 'it' } });
      report({
        kind: 'tool_call_completed',
        call_id: '1',
        tool: 'look',
        success: true,
        output: 'seen',
        duration: 5,
      });
      report({ kind: 'text', channel: 'response', text: 'Done.' });
      report({ kind: 'model_used', provider: 'p', model: 'm', usage });
      return Promise.resolve('Done.');
    },
  };
  const { directory } = await runPipeline(dot, { backend });
  const begun = { node_id: 'work', visit: 1, attempt: 1, continues: false, backend: 'custom' };
  expect(withoutTimes(directory)).toEqual([
    { kind: 'begun', ...begun },
    { kind: 'user', text: 'Do the work.' },
    { kind: 'assistant', content: [{ type: 'reasoning', text: 'Hmm.' }] },
    { kind: 'assistant', content: [{ type: 'text', text: 'I look.' }] },
    {
      kind: 'assistant',
      content: [{ type: 'tool-call', toolCallId: '1', toolName: 'look', input: { at: 'it' } }],
    },
    { kind: 'tool_result', call_id: '1', tool: 'look', success: true, output: 'seen', duration: 5 },
    { kind: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    { kind: 'usage', provider: 'p', model: 'm', usage },
    { kind: 'answered', response: 'Done.' },
  ]);
});

test('123: usage follows the reply that it was reported for', async () => {
  const backend: CodergenBackend = {
    async run(_node, _prompt, _context, { report, conversation }) {
      await conversation?.begin({ backend: 'own', continues: false, recordsTurns: true });
      report({ kind: 'model_used', provider: 'p', model: 'm', usage });
      conversation?.add({ kind: 'assistant', content: [{ type: 'text', text: 'Done.' }], end: 'complete' });
      return 'Done.';
    },
  };
  const { directory } = await runPipeline(dot, { backend });
  expect(entriesIn(directory).map(({ kind }) => kind)).toEqual([
    ...['begun', 'user', 'assistant', 'usage', 'answered'],
  ]);
});

test('123: edits and the title of a call are kept, and no event has them', async () => {
  const edits = [
    { path: 'a.txt', before: 'one', after: 'two' },
    { path: 'long.txt', before: null, after: 'x'.repeat(2 * 1024 * 1024) },
  ];
  const backend: CodergenBackend = {
    run(_node, _prompt, _context, { report }) {
      report({ kind: 'tool_call_started', call_id: '1', tool: 'edit', input: null, title: 'Edit a.txt' });
      const end = { success: true, output: 'changed', duration: 1 };
      report({ kind: 'tool_call_completed', call_id: '1', tool: 'edit', ...end, edits });
      return Promise.resolve('Done.');
    },
  };
  const { directory, events } = await runPipeline(dot, { backend });
  const [call, result] = entriesIn(directory).slice(2);
  expect(call?.content).toMatchObject([{ title: 'Edit a.txt' }]);
  expect(result?.edits).toEqual(edits.slice(0, 1));
  expect(JSON.stringify(events)).not.toMatch(/Edit a\.txt|two/);
});

test('123: a simulated stage has one turn, which no later attempt takes for an answer', async () => {
  const { directory } = await runPipeline(dot);
  const begun = { node_id: 'work', visit: 1, attempt: 1, continues: false, backend: 'simulated' };
  const text = '[Simulated] Response for stage: work';
  expect(withoutTimes(directory)).toEqual([
    { kind: 'begun', ...begun },
    { kind: 'user', text: 'Do the work.' },
    { kind: 'assistant', content: [{ type: 'text', text }], end: 'complete' },
  ]);
});

test('123: a long input is cut', async () => {
  const backend: CodergenBackend = {
    run(_node, _prompt, _context, { report }) {
      const input = { content: 'x'.repeat(50 * 1024 * 1024) };
      report({ kind: 'tool_call_started', call_id: '1', tool: 'write', input });
      return Promise.resolve('Done.');
    },
  };
  const { directory } = await runPipeline(dot, { backend });
  const text = fileOf(directory, 'work', 'conversation.jsonl');
  expect(text.length).toBeLessThan(2 * 1024 * 1024);
  expect(text).toContain('characters left out');
});

test('123: an answer and the reason of the next attempt are kept', async () => {
  const prompts: string[] = [];
  const backend: CodergenBackend = {
    run(_node, prompt, _context, { attempt }) {
      prompts.push(prompt);
      const retry = { status: 'retry', failure_reason: 'two\nlines' } as const;
      return Promise.resolve(attempt === 1 ? { response: 'No.', outcome: retry } : 'Yes.');
    },
  };
  const { directory, result } = await runPipeline(dot, { backend });
  expect(result.status).toBe('success');
  expect(prompts[1]).toMatch(/Do the work\.\n\nAttempt 1 at this was not accepted: two lines$/);
  expect(entriesIn(directory).map(({ kind }) => kind)).toEqual([
    ...['begun', 'user', 'answered', 'retried'],
    ...['begun', 'user', 'answered'],
  ]);
});

test('123: a result of 50 MB is cut', async () => {
  const output = 'x'.repeat(50 * 1024 * 1024);
  const backend: CodergenBackend = {
    run(_node, _prompt, _context, { report }) {
      report({ kind: 'tool_call_completed', call_id: '1', tool: 'cat', success: true, output, duration: 1 });
      return Promise.resolve('Done.');
    },
  };
  const { directory } = await runPipeline(dot, { backend });
  const text = fileOf(directory, 'work', 'conversation.jsonl');
  expect(text.length).toBeLessThan(2 * 1024 * 1024);
  expect(text).toContain('51380224 characters left out');
});
