import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { autoApproveInterviewer } from '../../../src/run/questions/auto-approve.js';
import { projectOf, subPipeline } from '../../run/children/children.js';
import { eventsOf, pipeline, resumePipeline, type Setup } from '../../run/harness.js';
import { heldInterviewer } from '../../support/interviewers.js';
import { calls, type MockTurn, says } from '../../support/mock-models.js';
import { asks, claude, questionsIn, results } from './asking.js';
import { bench, models, stage } from './bench.js';

describe('129: a model that may ask', () => {
  test.each(models.map((model) => [model.name, model] as const))(
    'of %s gets the words of a person, and continues',
    async (_name, { attributes }) => {
      const it = await bench([asks('Which database?'), says('PostgreSQL it is.')]);
      const run = await it.run(stage(`${attributes}, interactive=true`), {
        answers: { work: 'PostgreSQL 17' },
      });
      expect(run.result.status).toBe('success');
      expect(it.mock.requests()).toHaveLength(2);
      expect(results(it, 1)).toEqual(['PostgreSQL 17']);
      expect(questionsIn(run)).toEqual(['work.1.1.ask1: Which database?']);
      expect(eventsOf(run.events, 'InterviewCompleted')).toMatchObject([
        { stage: 'work', question_id: 'work.1.1.ask1', answer: { value: 'PostgreSQL 17' } },
      ]);
      expect(eventsOf(run.events, 'ToolCallCompleted')).toMatchObject([
        { tool: 'ask_person', success: true, output: 'PostgreSQL 17' },
      ]);
    },
  );

  test.each<readonly [answer: string, told: string, options: readonly string[]]>([
    ['B', 'MySQL', ['PostgreSQL', 'MySQL']],
    ['mysql', 'MySQL', ['PostgreSQL', 'MySQL']],
    ['A\tbut only version 17', 'PostgreSQL\n\nbut only version 17', ['PostgreSQL', 'MySQL']],
    ['2', 'A', ['B', 'A']],
    ['A', 'A', ['B', 'A']],
  ])('gets an option for the answer %j', async (answer, told, options) => {
    const it = await bench([asks('Which?', ...options), says('Fine.')]);
    const { result } = await it.run(stage(claude), { answers: { work: answer } });
    expect(result.status).toBe('success');
    expect(results(it, 1)).toEqual([told]);
  });

  test('is told what is wrong with its question, which nobody is asked', async () => {
    const it = await bench([
      calls(['ask_person', { question: ' ' }]),
      calls(['ask_person', { question: 'Which?', options: ['one'] }]),
      calls(['ask_person', { question: 'Which?', options: ['one', 'one'] }]),
      asks('Which?'),
      says('Fine.'),
    ]);
    const run = await it.run(stage(claude), { answers: { work: 'this' } });
    const [blank, single, twice, answer] = results(it, 4);
    expect(blank).toContain('question');
    expect(single).toContain('options');
    expect(twice).toContain('differ');
    expect(answer).toBe('this');
    expect(questionsIn(run)).toEqual(['work.1.1.ask1: Which?']);
  });

  test('has the tool whatever `tools` says, and its prompt says so; others have neither', async () => {
    const it = await bench([says('One.'), says('Two.')]);
    const more = 'more [prompt="More.", llm_model="claude-sonnet-4-5"]';
    await it.run(stage(`${claude}, tools=none`, more, 'work -> more -> exit'));
    const [own, other] = it.bodies.map((body) => JSON.stringify(body));
    expect(own).toContain('"ask_person"');
    expect(own).toContain('only if you ask them with the tool ask_person');
    expect(own).toContain('You have no tools for files or commands');
    expect(other).not.toContain('ask_person');
    expect(other).toContain('Nobody can answer questions');
  });

  test('sends no secret of an answer to the model, and writes none', async () => {
    const it = await bench([asks('The password?'), says('Thanks.')]);
    const secret = 'correct-horse-battery';
    const { directory } = await it.run(stage(claude), {
      answers: { work: `It is ${secret}.` },
      secrets: [secret],
    });
    expect(results(it, 1)).toEqual(['It is [redacted:secret].']);
    for (const file of ['events.jsonl', 'work/conversation.jsonl'])
      expect(readFileSync(path.join(directory, file), 'utf8')).not.toContain(secret);
  });
});

describe('129: where nobody answers', () => {
  test.each([
    ['without an interviewer', {}],
    ['with approval, which has no words', { interviewer: autoApproveInterviewer }],
  ])('%s, the run pauses, and continues with the conversation after the answer', async (_what, setup) => {
    const it = await bench([calls(['list_files', {}]), asks('Which database?'), says('Done.')]);
    const paused = await it.run(stage(claude), setup);
    expect(paused.result).toMatchObject({ status: 'paused' });
    expect(paused.result.paused_reason).toContain('a question waits for an answer');
    expect(it.mock.requests()).toHaveLength(2);
    const resumed = await resumePipeline(paused.directory, {
      ...(await it.setup({ runDirectory: undefined as never })),
      answers: { work: 'MySQL' },
    });
    expect(resumed.result.status).toBe('success');
    expect(it.mock.requests()).toHaveLength(3);
    expect(results(it, 2)).toEqual(['No file matches.', 'MySQL']);
    // The question was open all the time.
    expect(questionsIn(resumed)).toEqual([]);
  });

  test('approval takes the first option', async () => {
    const it = await bench([asks('Which?', 'one', 'two'), says('Done.')]);
    await it.run(stage(claude), { interviewer: autoApproveInterviewer });
    expect(results(it, 1)).toEqual(['one']);
  });
});

describe('129: in a child run', () => {
  async function parent(turns: readonly MockTurn[]) {
    const it = await bench(turns);
    const sourcePath = path.join(projectOf({ 'child.dot': stage(claude) }), 'main.dot');
    return { it, run: (setup: Setup = {}) => it.run(subPipeline(), { sourcePath, ...setup }) };
  }

  test('the question is one of the run above, and its answer reaches the model', async () => {
    const { it, run } = await parent([asks('Which?', 'one', 'two'), says('Done.')]);
    const person = heldInterviewer();
    const running = run({ interviewer: person });
    await expect.poll(() => person.asked.length).toBe(1);
    expect(person.asked[0]).toMatchObject({ stage: 'sub/work', text: 'Which?' });
    person.answer(0, { value: 'B' });
    expect((await running).result.status).toBe('success');
    expect(results(it, 1)).toEqual(['two']);
  });

  test('the run above pauses where nobody answers, and continues the conversation of the child', async () => {
    const { it, run } = await parent([calls(['list_files', {}]), asks('Which?'), says('Done.')]);
    const paused = await run();
    expect(paused.result).toMatchObject({ status: 'paused' });
    expect(paused.result.paused_reason).toContain('("sub/work")');
    const resumed = await resumePipeline(paused.directory, {
      ...(await it.setup({ runDirectory: undefined as never })),
      answers: { 'sub/work': 'MySQL' },
    });
    expect(resumed.result.status).toBe('success');
    expect(it.mock.requests()).toHaveLength(3);
    expect(results(it, 2)).toEqual(['No file matches.', 'MySQL']);
  });
});

describe('129: while a person is awaited', () => {
  test('neither the timeout nor the idle clock runs', async () => {
    const it = await bench([asks('Which?'), says('Done.')]);
    const person = heldInterviewer();
    const clock = slowClock();
    const running = it.run(stage(`${claude}, timeout=60s`), { interviewer: person, clock });
    await expect.poll(() => person.asked.length).toBe(1);
    clock.pass(3_600_000);
    person.answer(0, { value: 'this', text: 'this' });
    const { result } = await running;
    expect(result).toMatchObject({ status: 'success' });
  });

  test('the timeout runs before and after', async () => {
    const it = await bench([
      asks('Which?'),
      { response: { content: 'x'.repeat(50_000) }, wire: { latency: 50 } },
    ]);
    const person = heldInterviewer();
    const clock = slowClock();
    const running = it.run(stage(`${claude}, timeout=60s, max_retries=0`), { interviewer: person, clock });
    await expect.poll(() => person.asked.length).toBe(1);
    clock.pass(3_600_000);
    person.answer(0, { value: 'this', text: 'this' });
    await expect.poll(() => it.mock.requests().length).toBe(2);
    clock.pass(60_000);
    expect((await running).result.failure_reason).toBe('timeout after 60s');
  });

  test('two branches ask at once, each for itself', async () => {
    const it = await bench({
      'Do a.': [asks('Which a?'), says('A is done.')],
      'Do b.': [asks('Which b?'), says('B is done.')],
    });
    const person = heldInterviewer();
    const running = it.run(
      pipeline(
        'fan [shape=component]',
        'in [shape=tripleoctagon]',
        `a [prompt="Do a.", ${claude}]`,
        `b [prompt="Do b.", ${claude}]`,
        'start -> fan',
        'fan -> a -> in',
        'fan -> b -> in -> exit',
      ),
      { interviewer: person },
    );
    await expect.poll(() => person.asked.length).toBe(2);
    for (const [index, { stage: asking }] of person.asked.entries())
      person.answer(index, { value: `for ${asking}`, text: `for ${asking}` });
    expect((await running).result.status).toBe('success');
    const told = it.mock.requests().flatMap((_request, index) => results(it, index));
    expect([...told].sort()).toEqual(['for a', 'for b']);
  });
});

/** A clock whose time passes when the test says so. */
function slowClock() {
  let now = Date.UTC(2026, 0, 1);
  const sleepers = new Set<() => void>();
  return {
    now: () => now,
    random: () => 0.5,
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const until = now + milliseconds;
        const wake = (): void => {
          if (now < until) return;
          sleepers.delete(wake);
          resolve();
        };
        sleepers.add(wake);
        signal?.addEventListener('abort', () => {
          sleepers.delete(wake);
          reject(signal.reason);
        });
      }),
    pass(milliseconds: number): void {
      now += milliseconds;
      for (const wake of [...sleepers]) wake();
    },
  };
}
