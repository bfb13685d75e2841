import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/machine/decide.js';
import type { Input, InputBody } from '../../src/machine/input.js';
import type { Answer, Question } from '../../src/machine/interview.js';
import { initialState, mainCursor } from '../../src/machine/state.js';
import type { Interviewer } from '../../src/run/questions/interviewer.js';
import { expectPath, type PathCase } from '../routing/path-case.js';
import {
  eventsOf,
  fileOf,
  fileSystemOf,
  jsonOf,
  pipeline,
  programOf,
  resumePipeline,
  runPipeline,
  specExample,
  testEach,
} from '../run/harness.js';

const gate = (attributes: string, ...more: readonly string[]) =>
  pipeline(
    `g [shape=hexagon, label="Ship it?"${attributes}]`,
    ...['ship', 'fix', 'start -> g', 'g -> ship [label="[A] Approve"]', 'g -> fix [label="F) Fix it"]'],
    ...['ship -> exit', 'fix -> exit'],
    ...more,
  );

/** Gives the same answer to everything, and keeps the questions. */
function answering(answer: Answer | undefined): Interviewer & { readonly asked: Question[] } {
  const asked: Question[] = [];
  return {
    asked,
    ask(question) {
      asked.push(question);
      return Promise.resolve(answer);
    },
  };
}

/** Never answers. */
const silent: Interviewer = {
  ask: (_question, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
};

describe('4.6: a human gate', () => {
  test('offers its edges as choices', async () => {
    const interviewer = answering({ value: 'A' });
    await runPipeline(gate(', prompt="Look at the diff", timeout="15m"', 'g -> exit'), { interviewer });
    expect(interviewer.asked).toEqual([
      {
        id: 'g.1.1.1',
        text: 'Ship it?',
        type: 'MULTIPLE_CHOICE',
        options: [
          { key: 'A', label: '[A] Approve' },
          { key: 'F', label: 'F) Fix it' },
          { key: 'E', label: 'exit' },
        ],
        timeout_seconds: 900,
        stage: 'g',
        metadata: { targets: { A: 'ship', F: 'fix', E: 'exit' }, prompt: 'Look at the diff' },
      },
    ]);
  });

  test('55, 55a: prefers the chosen edge, by label and by target, and says what was chosen', async () => {
    const { result, events, directory } = await runPipeline(gate(''), { answers: { g: 'fix it' } });
    expect(result.path).toEqual(['start', 'g', 'fix', 'exit']);
    expect(result.context).toMatchObject({
      'human.gate.selected': 'F',
      'human.gate.label': 'F) Fix it',
      'human.gate.target': 'fix',
    });
    expect(jsonOf(directory, 'g', 'status.json')).toMatchObject({
      outcome: 'success',
      preferred_label: 'F) Fix it',
      suggested_next_ids: ['fix'],
    });
    expect(eventsOf(events, 'InterviewStarted')).toMatchObject([
      { stage: 'g', question: { text: 'Ship it?' } },
    ]);
    expect(eventsOf(events, 'InterviewCompleted')).toMatchObject([
      { stage: 'g', question: 'Ship it?', question_id: 'g.1.1.1', answer: { value: 'F' }, duration: 0 },
    ]);
  });

  const sameTarget = pipeline(
    ...['g [shape=hexagon]', 'a', 'start -> g', 'g -> a [label="One"]', 'g -> a [label="Two"]', 'a -> exit'],
  );
  test('55: of two edges to one target the label picks the right one', async () => {
    const { events } = await runPipeline(sameTarget, { answers: { g: 'Two' } });
    expect(eventsOf(events, 'EdgeSelected').find(({ from }) => from === 'g')).toMatchObject({ label: 'Two' });
  });

  const prefixed = (one: string, two: string) =>
    pipeline(
      ...['g [shape=hexagon]', 'a', 'b', 'start -> g', `g -> a [label="${one}"]`, `g -> b [label="${two}"]`],
      ...['a -> exit', 'b -> exit'],
    );
  testEach<PathCase>(
    [
      { name: 'by its key', dot: gate(''), answers: { g: 'a' }, path: 'g ship' },
      { name: 'by its label', dot: gate(''), answers: { g: '[A] Approve' }, path: 'g ship' },
      { name: 'by its label without the key', dot: gate(''), answers: { g: 'APPROVE' }, path: 'g ship' },
      { name: 'by its target', dot: gate(''), answers: { g: 'fix' }, path: 'g fix' },
      { name: 'by its number', dot: gate(''), answers: { g: '2' }, path: 'g fix' },
      {
        name: '55b: where first letters collide, the number is the key',
        dot: prefixed('Accept', 'Abort'),
        answers: { g: '2' },
        path: 'g b',
      },
      {
        name: '55b: where declared keys collide too',
        dot: prefixed('[A] Accept', '[A] Abort'),
        answers: { g: '2' },
        path: 'g b',
      },
      {
        name: 'two labels that differ in nothing but the key stay apart',
        dot: prefixed('[1] Again', '[2] Again'),
        answers: { g: '2' },
        path: 'g b',
      },
      {
        name: '55: a matching condition wins over the choice',
        dot: gate('', 'g -> exit [condition="preferred_label=\\"[A] Approve\\""]'),
        answers: { g: 'A' },
        path: 'g',
      },
      {
        name: '57: skipped is a failure',
        dot: gate(', max_retries=3'),
        interviewer: answering({ value: 'SKIPPED' }),
        path: 'g',
        fails: 'human skipped interaction',
      },
      ...['F', 'f', 'F) Fix it', 'fix it', 'fix', '2'].map((written) => ({
        name: `56: when the time is up the default is taken, written as ${written}`,
        dot: gate(`, timeout="24h", human.default_choice="${written}"`),
        interviewer: silent,
        path: 'g fix',
      })),
      {
        name: '56: without a default the gate is asked again, then fails',
        dot: gate(', timeout="24h", max_retries=2'),
        interviewer: silent,
        path: 'g',
        fails: 'human gate timeout, no default',
      },
      {
        name: '56: a default that is none is not a default',
        dot: gate(', timeout="24h", human.default_choice=nobody'),
        interviewer: silent,
        path: 'g',
        fails: 'human gate timeout, no default',
      },
      {
        name: '6.4: auto-approve takes the first choice',
        dot: gate(''),
        autoApprove: true,
        path: 'g ship',
      },
      { name: 'DESIGN 5: so does a simulation', dot: gate(''), simulate: true, path: 'g ship' },
      {
        name: '86: scripted answers go before auto-approval',
        dot: gate(''),
        autoApprove: true,
        answers: { g: 'F' },
        path: 'g fix',
      },
      {
        name: 'a script may replace the gate altogether',
        dot: gate(''),
        script: { g: { preferred_label: 'Fix it' } },
        path: 'g fix',
      },
    ],
    expectPath,
  );

  test('55c: an answer that was not offered takes the first choice, with a warning', async () => {
    const { result, events } = await runPipeline(gate(''), { interviewer: answering({ value: 'maybe' }) });
    expect(result.path).toContain('ship');
    expect(eventsOf(events, 'LogAppended')).toMatchObject([
      {
        level: 'warning',
        message: expect.stringMatching(/answered "maybe", which is not one of its choices/),
      },
    ]);
  });

  test('56: an interviewer is told the default, whatever it was called by', async () => {
    const interviewer = answering({ value: 'A' });
    await runPipeline(gate(', human.default_choice="fix"'), { interviewer });
    expect(interviewer.asked).toMatchObject([
      { default: { value: 'F', selected_option: { key: 'F', label: 'F) Fix it' } } },
    ]);
  });

  test('56: a default that fits no choice is worth a warning', async () => {
    const { events } = await runPipeline(gate(', human.default_choice=nobody'), { answers: { g: 'A' } });
    expect(eventsOf(events, 'LogAppended')).toMatchObject([
      { level: 'warning', message: expect.stringContaining('human.default_choice of "g" is "nobody"') },
    ]);
  });

  test('56, 9.6: a timeout has its event, after the time that the gate allows', async () => {
    const { events, result } = await runPipeline(gate(', timeout="24h", human.default_choice="Fix it"'), {
      interviewer: silent,
    });
    expect(eventsOf(events, 'InterviewTimeout')).toMatchObject([
      { stage: 'g', question: 'Ship it?', answer: { value: 'F' }, duration: 86_400_000 },
    ]);
    expect(result.duration_ms).toBe(86_400_000);
  });

  describe('56: who chose is noted', () => {
    const timed = gate(', timeout="24h", human.default_choice="Fix it"');
    const byDefault = 'Nobody answered in time; the default was taken: F) Fix it';
    const notesIn = (directory: string): unknown => jsonOf(directory, 'g', 'status.json').notes;

    test('a person', async () => {
      const { directory } = await runPipeline(timed, { answers: { g: 'F' } });
      expect(notesIn(directory)).toBe('Chosen: F) Fix it');
    });

    test('or nobody, so that the default was taken', async () => {
      const { directory, events } = await runPipeline(timed, { interviewer: silent });
      expect(notesIn(directory)).toBe(byDefault);
      expect(eventsOf(events, 'InterviewTimeout')).toMatchObject([{ answer: { by_default: true } }]);
    });

    test('also where the run was cut off before the gate could say so', async () => {
      const { directory } = await runPipeline(timed, { interviewer: silent });
      const journal = fileOf(directory, 'events.jsonl').split('\n');
      const answered = journal.findIndex((line) => line.includes('"InterviewTimeout"'));
      const upToAnswer = `${journal.slice(0, answered + 1).join('\n')}\n`;
      fileSystemOf(directory).writeFile(path.join(directory, 'events.jsonl'), upToAnswer);
      const { result, events } = await resumePipeline(directory);
      expect(result.path).toEqual(['start', 'g', 'fix', 'exit']);
      expect(eventsOf(events, 'InterviewStarted')).toEqual([]);
      expect(notesIn(directory)).toBe(byDefault);
    });
  });

  test('2.13: the example goes round until it is approved', async () => {
    const { result } = await runPipeline(specExample('human-gate.dot'), {
      answers: { review_gate: ['F', 'Fix', 'a'] },
    });
    expect(result.path.slice(1, -1).join(' ')).toBe(
      'review_gate fixes review_gate fixes review_gate ship_it',
    );
  });
});

describe('56: a gate without a default whose time is up', () => {
  test('is asked again as often as its retries allow, each time with a question of its own', async () => {
    const { result, events } = await runPipeline(gate(', timeout="24h", max_retries=2'), {
      interviewer: silent,
    });
    const asked = eventsOf(events, 'InterviewStarted').map(({ question }) => question.id);
    expect(asked).toEqual(['g.1.1.1', 'g.1.2.1', 'g.1.3.1']);
    expect(eventsOf(events, 'InterviewTimeout').map(({ answer }) => answer)).toEqual(
      asked.map(() => ({ value: 'TIMEOUT' })),
    );
    expect(result).toMatchObject({
      status: 'fail',
      failed_node: 'g',
      failure_reason: expect.stringContaining('human gate timeout, no default'),
    });
    expect(result.duration_ms).toBeGreaterThanOrEqual(3 * 86_400_000);
  });

  test('may be answered the second time', async () => {
    let asked = 0;
    const late: Interviewer = {
      ask(question, signal) {
        asked += 1;
        return asked === 1 ? silent.ask(question, signal) : Promise.resolve({ value: 'F' });
      },
    };
    const { result } = await runPipeline(gate(', timeout="24h", max_retries=1'), { interviewer: late });
    expect(result).toMatchObject({ status: 'success', path: ['start', 'g', 'fix', 'exit'] });
  });
});

test('an answer to a question that is no longer open changes nothing', () => {
  const program = programOf(gate(''));
  const clocked = (body: InputBody): Input => ({ ...body, now: 1, random: 0.5 });
  let state = initialState;
  const feed = (body: InputBody) => {
    const decision = decide(program, state, clocked(body));
    state = decision.state;
    return decision;
  };
  const question = (id: string): Question => ({ id, text: '?', type: 'FREEFORM', options: [], stage: 'g' });
  const answer = (questionId: string, value: string): InputBody => ({
    kind: 'answered',
    cursor: mainCursor,
    questionId,
    answer: { value },
  });
  const [begun] = feed({ kind: 'start', runId: 'run', graphHash: 'hash', inputs: {} }).effects;
  if (begun?.kind !== 'execute') throw new Error('the start node is not executed');
  const settled = {
    cursor: mainCursor,
    index: begun.index,
    attempt: begun.attempt,
    outcome: { status: 'success' },
  } as const;
  const [asking] = feed({ kind: 'stage_settled', ...settled }).effects;
  if (asking?.kind !== 'execute') throw new Error('the gate is not executed');
  const raise = (id: string, { attempt, index } = asking) =>
    feed({ kind: 'question_raised', cursor: mainCursor, index, attempt, question: question(id) });

  for (const late of [begun, { ...asking, attempt: 2 }]) {
    expect(raise('late', late)).toMatchObject({ events: [], effects: [] });
  }
  raise('g.1.1.1');
  const taken = feed(answer('g.1.1.1', 'first'));
  expect(taken.events.map(({ type }) => type)).toEqual(['InterviewCompleted']);
  expect(taken.effects).toMatchObject([{ kind: 'deliver', answer: { value: 'first' } }]);
  const before = state;
  for (const late of [answer('g.1.1.1', 'second'), answer('g.9.9.9', 'never asked')]) {
    expect(feed(late)).toMatchObject({ events: [], effects: [] });
  }
  raise('g.1.1.2');
  expect(feed(answer('g.1.1.1', 'third'))).toMatchObject({ events: [], effects: [] });
  expect(before.answers.get('g')).toBe(1);
  expect(state.cursors.get(mainCursor)?.question?.question.id).toBe('g.1.1.2');
});

describe('87: a question that nobody answers', () => {
  test('pauses the run; resuming answers the same question', async () => {
    const { result, events, directory } = await runPipeline(gate(''));
    expect(result).toMatchObject({ status: 'paused', waiting_node: 'g', path: ['start', 'g'] });
    expect(events.at(-1)).toMatchObject({ type: 'PipelinePaused', node_id: 'g' });
    expect(jsonOf(directory, 'checkpoint.json')).toMatchObject({ status: 'paused', next_node: 'g' });
    expect((await resumePipeline(directory)).result.status).toBe('paused');

    const resumed = await resumePipeline(directory, { answers: { g: 'F' } });
    expect(resumed.result).toMatchObject({ status: 'success', path: ['start', 'g', 'fix', 'exit'] });
    expect(eventsOf(resumed.events, 'InterviewStarted')).toEqual([]);
    expect(eventsOf(resumed.events, 'InterviewCompleted')).toMatchObject([{ question_id: 'g.1.1.1' }]);
  });

  test('86: used-up answers pause too', async () => {
    const { result } = await runPipeline(specExample('human-gate.dot'), { answers: { review_gate: 'F' } });
    expect(result).toMatchObject({ status: 'paused', waiting_node: 'review_gate' });
  });

  test('with a timeout is waited out first', async () => {
    const { result } = await runPipeline(gate(', timeout="1h", human.default_choice=A'));
    expect(result).toMatchObject({ status: 'success', duration_ms: 3_600_000 });
  });

  test('an interviewer that breaks pauses the run, and says why', async () => {
    const broken: Interviewer = { ask: () => Promise.reject(new Error('no terminal')) };
    const { result, events } = await runPipeline(gate(''), { interviewer: broken });
    expect(result.status).toBe('paused');
    expect(eventsOf(events, 'LogAppended')[0]?.message).toBe(
      'the question of "g" could not be asked: no terminal',
    );
  });

  test('an interviewer that breaks at once does so too', async () => {
    const broken: Interviewer = {
      ask: () => {
        throw new Error('no terminal');
      },
    };
    expect((await runPipeline(gate(''), { interviewer: broken })).result.status).toBe('paused');
  });
});

test.each([
  [{ g: 'Maybe' }, '"Maybe" does not answer "g", which offers: '],
  [{ nobody: 'A' }, '"nobody"'],
])('86: the answers %j are refused before anything runs', async (answers, message) => {
  await expect(runPipeline(gate(''), { answers })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
  });
});
