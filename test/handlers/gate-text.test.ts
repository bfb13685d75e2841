import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { Answer, Question } from '../../src/machine/interview.js';
import { matchAnswer } from '../../src/run/questions/match-answer.js';
import { readScript } from '../../src/run-directory/simulation-script.js';
import { eventsOf, pipeline, resumePipeline, runOnDisk, runPipeline, testEach } from '../run/harness.js';

// Row 109: gates that take a text with the choice.

const gate = (words: string, more = ''): string =>
  pipeline(
    `ask [shape=hexagon, label="Ship it?", "human.text"=${words}${more}]`,
    'say [shape=parallelogram, tool_command="printf %s ${context.human.gate.text}"]',
    'start -> ask',
    'ask -> say [label="[A] Approve"]',
    'ask -> say [label="[F] Fix"]',
    'say -> exit',
  );

const alone = pipeline('ask [shape=hexagon, label="Why?", "human.text"=required]', 'start -> ask -> exit');

describe('109: a choice and a text', () => {
  const question = (words?: Question['words']): Question => ({
    id: 'q',
    text: 'Ship it?',
    type: 'MULTIPLE_CHOICE',
    options: [
      { key: 'A', label: '[A] Approve' },
      { key: 'F', label: '[F] Fix' },
    ],
    words,
    stage: 'ask',
  });
  const cases: readonly (readonly [Question['words'], string, Partial<Answer> | undefined])[] = [
    ['optional', 'a', { value: 'A' }],
    ['optional', 'Fix\t the tests ', { value: 'F', text: 'the tests' }],
    ['optional', 'F\tone\ttwo\nthree', { value: 'F', text: 'one\ttwo\nthree' }],
    ['optional', 'F\t  ', { value: 'F' }],
    ['optional', 'X\ttext', undefined],
    ['required', 'F', undefined],
    ['required', 'F\t ', undefined],
    ['required', 'F\twhy', { value: 'F', text: 'why' }],
    [undefined, 'F\twhy', undefined],
  ];
  test.each(cases)('%s: %j', (words, typed, wanted) => {
    const answer = matchAnswer(question(words), typed);
    if (wanted === undefined) expect(answer).toBeUndefined();
    else expect(answer).toEqual({ selected_option: expect.anything(), ...wanted });
  });
});

describe('109: the text of a gate', () => {
  testEach<{ name: string; dot: string; answer: string; context: object; output?: string }>(
    [
      {
        name: 'is in the context, with the choice',
        dot: gate('required'),
        answer: 'F\tmind the $(touch gap)',
        context: { 'human.gate.selected': 'F', 'human.gate.text': 'mind the $(touch gap)' },
        output: 'mind the $(touch gap)',
      },
      {
        name: 'is empty where none was given',
        dot: gate('optional'),
        answer: 'A',
        context: { 'human.gate.selected': 'A', 'human.gate.text': '' },
      },
      {
        name: 'is all that is asked for at a gate with one edge without a label',
        dot: alone,
        answer: 'because',
        context: { 'human.gate.target': 'exit', 'human.gate.text': 'because' },
      },
    ],
    async ({ dot, answer, context, output }) => {
      const { result } = await runOnDisk(dot, { answers: { ask: answer } });
      expect(result).toMatchObject({ status: 'success', context });
      if (output !== undefined) expect(result.context['tool.output']).toBe(output);
    },
  );

  test('in a script it is written by name', () => {
    const { answers } = readScript(
      { answers: { ask: [{ choice: 'F', text: 'why' }, { text: 'alone' }, 'A'] } },
      's',
    );
    expect(answers.get('ask')).toEqual(['F\twhy', 'alone', 'A']);
  });

  test('a script that lacks a required one is refused', async () => {
    await expect(runPipeline(gate('required'), { answers: { ask: 'A' } })).rejects.toThrow('needs a text');
  });

  test('approval gives none: a required one pauses the run, an optional one does not', async () => {
    const { result, directory } = await runOnDisk(gate('required'), { autoApprove: true });
    expect(result.status).toBe('paused');
    const again = await resumePipeline(directory, {
      answers: { ask: 'A\tfine' },
    });
    expect(again.result.context['human.gate.text']).toBe('fine');
    expect((await runOnDisk(gate('optional'), { autoApprove: true })).result.status).toBe('success');
  });

  test('an interviewer of a program that gives none leaves the question open', async () => {
    const interviewer = { ask: async () => ({ value: 'A' }) };
    expect((await runOnDisk(gate('required'), { interviewer })).result.status).toBe('paused');
    const withText = { ask: async () => ({ value: 'A', text: 'ok' }) };
    const { result } = await runOnDisk(gate('required'), { interviewer: withText });
    expect(result.context['human.gate.text']).toBe('ok');
  });

  test('a timeout with a required text is one without a default', async () => {
    const dot = gate('required', ', timeout="1s", "human.default_choice"=A, max_retries=0');
    const { result, events } = await runPipeline(dot);
    expect(result.status).toBe('fail');
    const [asked] = eventsOf(events, 'InterviewStarted');
    expect(asked?.question).toMatchObject({ words: 'required' });
    expect(asked?.question.default).toBeUndefined();
  });

  test('a simulation gives one', async () => {
    const { result } = await runPipeline(gate('required'), { simulate: true });
    expect(result.context['human.gate.text']).toBe('[Simulated] text');
  });

  test('a secret in it is redacted', async () => {
    const { result } = await runOnDisk(gate('required'), {
      secrets: ['tell-nobody-this'],
      interviewer: { ask: async () => ({ value: 'A', text: 'it is tell-nobody-this' }) },
    });
    expect(JSON.stringify(result)).not.toContain('tell-nobody-this');
  });

  test('another word than optional and required is a finding', () => {
    const found = compile(gate('maybe')).diagnostics.filter(({ message }) => message.includes('human.text'));
    expect(found).toHaveLength(1);
  });
});
