import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { QuestionDraft } from '../../src/handlers/question-draft.js';
import type { Answer, Question } from '../../src/machine/interview.js';
import { autoApproveInterviewer } from '../../src/run/questions/auto-approve.js';
import { callbackInterviewer } from '../../src/run/questions/callback.js';
import { consoleInterviewer } from '../../src/run/questions/console.js';
import type { Interviewer } from '../../src/run/questions/interviewer.js';
import { queueInterviewer } from '../../src/run/questions/queue.js';
import { eventsOf, pipeline, runPipeline } from '../run/harness.js';

/* The lines of the specification's §11.8 and §11.9, each under its own words. */

const gate = pipeline(
  ...[
    'g [shape=hexagon, label="Ship it?", prompt=""]',
    'ship',
    'fix',
    'start -> g',
    'ship -> exit',
    'fix -> g',
  ],
  ...['g -> ship [label="[S] Ship"]', 'g -> fix [label="[F] Fix"]'],
);

/** The stages between start and exit. */
async function pathWith(interviewer: Interviewer): Promise<string> {
  const { result } = await runPipeline(gate, { interviewer });
  return result.path.slice(1, -1).join(' ');
}

describe('11.8 Human-in-the-Loop', () => {
  test('Interviewer interface works: ask(question) -> Answer', async () => {
    const asked: Question[] = [];
    const answers: readonly Answer[] = [{ value: 'F' }, { value: 'S' }];
    const path = await pathWith({ ask: (question) => Promise.resolve(answers[asked.push(question) - 1]) });
    expect(path).toBe('g fix g ship');
    expect(asked).toMatchObject([
      { id: 'g.1.1.1', text: 'Ship it?', stage: 'g', options: [{ key: 'S' }, { key: 'F' }] },
      { id: 'g.3.1.1', text: 'Ship it?', stage: 'g' },
    ]);
  });

  const options = [
    { key: 'A', label: 'Approve' },
    { key: 'F', label: 'Fix' },
  ];
  test.each<[QuestionDraft['type'], typed: string, answer: object]>([
    ['SINGLE_SELECT', 'fix', { value: 'F', selected_option: { key: 'F' } }],
    ['MULTI_SELECT', 'F, A', { value: 'A, F', selected_options: [{ key: 'A' }, { key: 'F' }] }],
    ['FREE_TEXT', 'as you like', { text: 'as you like' }],
    ['CONFIRM', 'y', { value: 'YES' }],
  ])('Question supports types: %s', async (type, typed, answer) => {
    const given: Answer[] = [];
    const dot = pipeline('A [type=asks]', 'start -> A -> exit');
    const { result } = await runPipeline(dot, {
      interviewer: queueInterviewer([typed]),
      handlers: {
        asks: async (stage) => {
          given.push(await stage.ask({ type, text: 'What now?', options }));
          return { status: 'success' };
        },
      },
    });
    expect(result.status).toBe('success');
    expect(given).toMatchObject([answer]);
  });

  test('AutoApproveInterviewer always selects the first option', async () => {
    expect(await pathWith(autoApproveInterviewer)).toBe('g ship');
    const { events } = await runPipeline(gate, { autoApprove: true });
    expect(eventsOf(events, 'InterviewCompleted')).toMatchObject([{ answer: { value: 'S' } }]);
  });

  test('ConsoleInterviewer prompts in terminal and reads user input', async () => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    let screen = '';
    let typed = 0;
    const interviewer = consoleInterviewer({
      input,
      write: (text) => {
        screen += text;
        if (text.endsWith(': ')) setImmediate(() => input.write(['Q\n', 'f\n', 's\n'][typed++] ?? ''));
      },
    });
    expect(await pathWith(interviewer)).toBe('g fix g ship');
    expect(screen).toMatch(/^\[\?\] Ship it\?\n +\[S\] Ship\n +\[F\] Fix\n +Select: /);
    expect(screen).toContain('"Q" is none of the choices');
  });

  test('CallbackInterviewer delegates to a provided function', async () => {
    const called: string[] = [];
    const interviewer = callbackInterviewer(({ stage, text }) => {
      called.push(`${stage}: ${text}`);
      return called.length === 1 ? 'Fix' : { value: 'S' };
    });
    expect(await pathWith(interviewer)).toBe('g fix g ship');
    expect(called).toEqual(['g: Ship it?', 'g: Ship it?']);
  });

  test('QueueInterviewer reads from a pre-filled answer queue', async () => {
    expect(await pathWith(queueInterviewer(['F', 'fix', 'Ship']))).toBe('g fix g fix g ship');
    const { result } = await runPipeline(gate, { interviewer: queueInterviewer(['F']) });
    expect(result).toMatchObject({ status: 'fail', failure_reason: 'human skipped interaction' });
  });
});

describe('11.9 Condition Expressions', () => {
  test.each<[line: string, ...conditions: readonly (readonly [condition: string, isTaken: boolean])[]]>([
    ['= (equals) operator works for string comparison', ['context.x=a', true], ['context.x=A', false]],
    ['!= (not equals) operator works', ['context.x!=a', false], ['context.x!=b', true]],
    [
      '&& (AND) conjunction works with multiple clauses',
      ['outcome=success && context.x=a && preferred_label=L', true],
      ['outcome=success && context.x=b && preferred_label=L', false],
    ],
    [
      "outcome variable resolves to the current node's outcome status",
      ['outcome=partial_success', true],
      ['outcome=success', false],
    ],
    [
      "preferred_label variable resolves to the outcome's preferred label",
      ['preferred_label=L', true],
      ['preferred_label=M', false],
    ],
    [
      'context.* variables resolve to context values (missing keys = empty string)',
      ['context.x=a', true],
      ['context.n=3', true],
      ['context.missing=""', true],
      ['context.missing=a', false],
    ],
    ['Empty condition always evaluates to true (unconditional edge)', ['', true], ['  ', true]],
  ])('%s', async (line, ...conditions) => {
    // The outcome is the one that the line is about; elsewhere a plain success.
    const outcome = line.startsWith('outcome') ? 'partial_success' : 'success';
    const script = { A: { outcome, preferred_label: 'L', context_updates: { x: 'a', n: 3 } } };
    for (const [condition, isTaken] of conditions) {
      const edge = `A -> B [condition=${JSON.stringify(condition)}]`;
      const dot = pipeline('A', 'B', 'start -> A', edge, 'A -> exit [weight=-1]', 'B -> exit');
      const { result } = await runPipeline(dot, { script });
      expect(result.path.join(' '), condition).toBe(`start A ${isTaken ? 'B ' : ''}exit`);
    }
  });
});
