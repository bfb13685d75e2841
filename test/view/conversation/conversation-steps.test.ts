import { expect, test } from 'vitest';
import type { ConversationEntry, NewConversationEntry } from '../../../src/handlers/conversation-entry.js';
import {
  type ConversationStep,
  conversationSteps,
} from '../../../src/view/conversation/conversation-steps.js';

const at = '2026-01-01T00:00:00.000Z';
const begun = (attempt: number, continues = false): NewConversationEntry => ({
  kind: 'begun',
  run_id: 'r',
  node_id: 'n',
  visit: 1,
  attempt,
  continues,
  backend: 'ai',
  prompt_sha256: 'x',
});
const user = (text: string): NewConversationEntry => ({ kind: 'user', text });
const says = (text: string, end?: 'complete' | 'cut_off'): NewConversationEntry => ({
  kind: 'assistant',
  content: [{ type: 'text', text }],
  end,
});
const calls = (...ids: readonly string[]): NewConversationEntry => ({
  kind: 'assistant',
  content: ids.map((id) => ({ type: 'tool-call', toolCallId: id, toolName: 'look', input: { path: id } })),
});
const result = (call_id: string, output = 'seen'): NewConversationEntry => ({
  kind: 'tool_result',
  call_id,
  tool: 'look',
  success: true,
  output,
  duration: 1,
});
const usage = (input_tokens: number, output_tokens: number): NewConversationEntry => ({
  kind: 'usage',
  provider: 'p',
  model: 'm',
  usage: { requests: 1, input_tokens, output_tokens },
});
const answered = (response: string): NewConversationEntry => ({ kind: 'answered', response });

/** Steps as words: what a person would read of them. */
function told(entries: readonly NewConversationEntry[]): readonly string[] {
  return conversationSteps(entries.map((entry): ConversationEntry => ({ ...entry, at }))).map(wordsOf);
}

function wordsOf(step: ConversationStep): string {
  switch (step.kind) {
    case 'attempt':
      return `attempt ${step.attempt}${step.continues ? ' continues' : ''}`;
    case 'request':
      return `${step.isPrompt ? 'prompt' : 'request'}: ${step.text}`;
    case 'turn': {
      const parts = step.parts.map((part) =>
        part.kind === 'words' ? part.text : `${part.id}=${part.result?.output ?? '?'}`,
      );
      const { usage: used, turns } = step.used ?? {};
      const tokens = used && `[${used.input_tokens}/${used.output_tokens} in ${turns}]`;
      return [`turn ${step.number}:`, ...parts, tokens, step.end]
        .filter((word) => word !== undefined)
        .join(' ');
    }
    case 'person':
      return `${step.by ?? 'person'}: ${step.text}`;
    case 'answer':
      return 'answer';
    case 'compacted':
      return `${step.turns} summarized: ${step.summary}`;
    case 'retried':
      return `retried: ${step.reason}`;
  }
}

test('words, calls and results become turns, with the result of each call at the call', () => {
  expect(
    told([
      begun(1),
      user('Do it.'),
      says('I look.'),
      calls('a', 'b'),
      usage(10, 1),
      result('b', 'B'),
      result('a', 'A'),
      says('Done.'),
      usage(20, 2),
      answered('Done.'),
    ]),
  ).toEqual([
    'attempt 1',
    'prompt: Do it.',
    'turn 1: I look. a=A b=B [10/1 in 1]',
    'turn 2: Done. [20/2 in 1]',
    'answer',
  ]);
});

test('a whole reply is a turn, even without a call', () => {
  expect(told([begun(1), user('p'), says('One.', 'complete'), says('Two.', 'cut_off')])).toEqual([
    'attempt 1',
    'prompt: p',
    'turn 1: One.',
    'turn 2: Two. cut_off',
  ]);
});

test('usage that an agent reports at the end counts for the turns before it', () => {
  expect(
    told([begun(1), user('p'), calls('a'), result('a'), calls('b'), result('b'), says('End.'), usage(9, 3)]),
  ).toEqual(['attempt 1', 'prompt: p', 'turn 1: a=seen', 'turn 2: b=seen', 'turn 3: End. [9/3 in 3]']);
});

test('usage that the gateway reports before the words counts for their turn', () => {
  expect(
    told([
      begun(1),
      user('p'),
      usage(10, 1),
      says('I look.'),
      calls('a'),
      result('a'),
      usage(20, 2),
      calls('b'),
      result('b'),
      says('End.'),
      usage(30, 3),
      answered('End.'),
    ]),
  ).toEqual([
    'attempt 1',
    'prompt: p',
    'turn 1: I look. a=seen [10/1 in 1]',
    'turn 2: b=seen [20/2 in 1]',
    'turn 3: End. [30/3 in 1]',
    'answer',
  ]);
});

test('usage after the last result counts for the turns before it', () => {
  expect(
    told([begun(1), user('p'), calls('a'), result('a'), calls('b'), result('b'), usage(9, 3), answered('')]),
  ).toEqual(['attempt 1', 'prompt: p', 'turn 1: a=seen', 'turn 2: b=seen [9/3 in 2]', 'answer']);
});

test('several reports of one turn are added up', () => {
  expect(told([begun(1), user('p'), says('End.'), usage(9, 3), usage(1, 1)]).at(-1)).toBe(
    'turn 1: End. [10/4 in 1]',
  );
});

test('an answer without words before it is a turn', () => {
  expect(told([begun(1), user('p'), answered('Only this.')])).toEqual([
    'attempt 1',
    'prompt: p',
    'turn 1: Only this.',
    'answer',
  ]);
});

test('attempts, reasons and words of people are in order', () => {
  expect(
    told([
      begun(1),
      user('p'),
      says('No.'),
      answered('No.'),
      { kind: 'retried', reason: 'no plan' },
      begun(2),
      user('p again'),
      { kind: 'person', text: 'Use tabs.', by: 'Ada' },
      says('Half'),
      begun(3, true),
      user('continue'),
      says('Yes.'),
    ]),
  ).toEqual([
    'attempt 1',
    'prompt: p',
    'turn 1: No.',
    'answer',
    'retried: no plan',
    'attempt 2',
    'prompt: p again',
    'Ada: Use tabs.',
    'turn 2: Half',
    'attempt 3 continues',
    'request: continue',
    'turn 3: Yes.',
  ]);
});

test('a summary is in its place', () => {
  const summary: NewConversationEntry = { kind: 'compacted', summary: 'So far.', turns: 1 };
  expect(told([begun(1), user('p'), says('One.', 'complete'), summary, says('Two.')]).slice(2)).toEqual([
    'turn 1: One.',
    '1 summarized: So far.',
    'turn 2: Two.',
  ]);
});

test('a call id that is used again is another call', () => {
  expect(
    told([begun(1), user('p'), calls('a'), result('a', '1'), calls('a'), result('a.2', '2'), calls('a')]),
  ).toEqual(['attempt 1', 'prompt: p', 'turn 1: a=1', 'turn 2: a.2=2', 'turn 3: a.3=?']);
});

test('a result without its call is shown all the same', () => {
  expect(told([begun(1, true), result('z', 'Z')])).toEqual(['attempt 1 continues', 'turn 1: z=Z']);
});
