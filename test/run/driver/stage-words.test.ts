import { expect, test } from 'vitest';
import type { StageSteering, SteeringReadiness } from '../../../src/handlers/stage-steering.js';
import { initialState } from '../../../src/machine/state.js';
import { StageWords } from '../../../src/run/driver/stage-words.js';
import { makeRedactor } from '../../../src/secrets/redactor.js';
import { pipeline, programOf } from '../harness.js';

interface Case {
  readonly what: string;
  say(steering: StageSteering): void;
  readonly isOver?: boolean;
  readonly becomes: readonly unknown[];
}

const cases: readonly Case[] = [
  {
    what: 'without secrets in its refusal',
    say: (steering) => steering.refuse('the agent with a-very-secret-key reads its prompt once'),
    becomes: [{ refusal: 'the agent with [redacted:KEY] reads its prompt once' }],
  },
  {
    what: 'with a refusal that an event can hold',
    say: (steering) => steering.refuse('x'.repeat(50_000)),
    becomes: [{ refusal: expect.stringMatching(/^x{2000} … \(the beginning of 50000 bytes\)$/) }],
  },
  { what: 'as long as it works', say: (steering) => steering.open(), becomes: ['open'] },
  { what: 'not after its end', say: (steering) => steering.open(), isOver: true, becomes: [] },
];

test.each(cases)('a stage says whether it takes words, $what', ({ say, isOver = false, becomes }) => {
  const found: SteeringReadiness[] = [];
  const words = new StageWords({
    program: programOf(pipeline('one', 'start -> one -> exit')),
    redactor: makeRedactor([{ name: 'KEY', value: 'a-very-secret-key' }]),
    state: () => initialState,
    dispatch: () => undefined,
    onReadiness: (readiness) => found.push(readiness),
  });
  say(words.steeringOf({ cursor: 'main', index: 1, attempt: 1 }, { isOver, report: () => undefined }));
  expect(found).toEqual(becomes);
});

test('a stage refuses words until it has begun here, and while it does not listen', () => {
  const cursor = { id: 'main', nodeId: 'one', phase: 'running', index: 1, attempt: 1, words: [] };
  const words = new StageWords({
    program: programOf(pipeline('one', 'start -> one -> exit')),
    redactor: undefined,
    state: () => ({ ...initialState, status: 'running', cursors: new Map([['main', cursor as never]]) }),
    dispatch: () => undefined,
  });
  const say = () =>
    words.steer({ stage: 'one', branch: undefined }, { id: 'w', text: 'Hurry', by: undefined });
  expect(say()).toBe('"one" is only just beginning: try again in a moment');
  const steering = words.steeringOf(
    { cursor: 'main', index: 1, attempt: 1 },
    { isOver: false, report: () => undefined },
  );
  expect(say()).toBe('"one" takes no words while it works');
  steering.open();
  expect(say()).toBeUndefined();
});
