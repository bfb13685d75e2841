import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FixtureResponse } from '@copilotkit/aimock';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { autoApproveInterviewer } from '../../../src/run/questions/auto-approve.js';
import type { Interviewer } from '../../../src/run/questions/interviewer.js';
import { eventsOf, type PipelineRun, pipeline, resumePipeline } from '../../run/harness.js';
import { heldInterviewer } from '../../support/interviewers.js';
import { calls, type MockTurn, says } from '../../support/mock-models.js';
import { type Bench, bench, models, stage } from './bench.js';
import { cutAfter } from './cut-run.js';

const claude = 'llm_model="claude-sonnet-4-5", interactive=true';

const asks = (question: string, ...options: readonly string[]): MockTurn =>
  calls(['ask_person', options.length === 0 ? { question } : { question, options }]);

/** Results of tools in a request, in order. */
function results({ mock }: Pick<Bench, 'mock'>, request: number): readonly string[] {
  const messages = mock.requests()[request]?.body.messages ?? [];
  return messages.flatMap(({ role, content }) =>
    role === 'tool'
      ? [plain(typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join(''))]
      : [],
  );
}

/** Google's format wraps a result. */
function plain(result: string): string {
  return result.startsWith('{"name"') ? JSON.parse(result).content : result;
}

function questionsIn({ events }: Pick<PipelineRun, 'events'>): readonly string[] {
  return eventsOf(events, 'InterviewStarted').map(({ question }) => `${question.id}: ${question.text}`);
}

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

const turns = [
  asks('First?'),
  calls(['ask_person', { question: '' }]),
  calls(['list_files', {}], ['ask_person', { question: 'Second?', options: ['yes', 'no'] }]),
  says('Done.'),
];

/** Each turn follows from the ones before it, so that a request whose reply was lost gets it again. */
const twoQuestions: readonly MockTurn[] = Array.from({ length: turns.length + 1 }, () => ({
  response: ({ messages }) =>
    turns[messages.filter(({ role }) => role === 'assistant').length]?.response as FixtureResponse,
}));

const person: Interviewer = {
  ask: async ({ text, options }) => {
    if (text === 'First?') return { value: 'one', text: 'one' };
    const no = options.find(({ label }) => label === 'no');
    return no && { value: no.key, selected_option: no };
  },
};

describe('129: a process that ends anywhere', () => {
  test('asks each question once, requests each turn once, and loses no answer', async () => {
    let cuts = 0;
    for (let entries = 1; ; entries += 1) {
      const it = await bench(twoQuestions);
      const copy = path.join(path.dirname(it.runDirectory), 'copy');
      const cut = cutAfter(entries, it.runDirectory, copy, ['conversation.jsonl', 'events.jsonl']);
      const setup = { interviewer: person, fileSystem: cut.fileSystem };
      const ended = await it.run(stage(claude), setup).then(
        () => true,
        () => false,
      );
      if (ended) break;
      if (!existsSync(path.join(copy, 'events.jsonl'))) continue;
      cuts += 1;
      const { result } = await resumePipeline(copy, {
        ...(await it.setup({ runDirectory: undefined as never })),
        interviewer: person,
      });
      expect(result.status, `after ${entries} entries`).toBe('success');
      const replies = readFileSync(path.join(copy, 'work/conversation.jsonl'), 'utf8');
      expect(replies.match(/"kind":"assistant"/g), `after ${entries} entries`).toHaveLength(turns.length);
      expect(it.mock.requests().length, `after ${entries} entries`).toBeLessThanOrEqual(turns.length + 1);
      const journal = readFileSync(path.join(copy, 'events.jsonl'), 'utf8').trim().split('\n');
      const events = journal.map((line) => JSON.parse(line) as RunEvent);
      expect(questionsIn({ events })).toEqual(['work.1.1.ask1: First?', 'work.1.1.ask2: Second?']);
      expect(eventsOf(events, 'InterviewCompleted').map(({ answer }) => answer.text ?? answer.value)).toEqual(
        ['one', 'B'],
      );
      const [first, , , second] = results(it, it.mock.requests().length - 1);
      expect([first, second]).toEqual(['one', 'no']);
    }
    expect(cuts).toBeGreaterThan(20);
  });
});
