import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/handlers/handler.js';
import type { QuestionDraft } from '../../src/handlers/question-draft.js';
import { callbackInterviewer } from '../../src/run/questions/callback.js';
import { absentInterviewer, type Interviewer } from '../../src/run/questions/interviewer.js';
import { queueInterviewer } from '../../src/run/questions/queue.js';
import { runProject, subPipeline } from '../run/children/children.js';
import { eventsOf, pipeline, resumePipeline, runPipeline, type Setup } from '../run/harness.js';

// What a handler may do with people (§6.1): ask one question or several, and tell them something.

const dot = pipeline('a [type=custom]', 'start -> a -> exit');

const custom = (execute: Handler['execute']): Pick<Setup, 'handlers'> => ({ handlers: { custom: execute } });

const drafts: readonly QuestionDraft[] = [
  { type: 'YES_NO', text: 'One?' },
  { type: 'FREE_TEXT', text: 'Two?' },
  { type: 'CONFIRM', text: 'Three?' },
];

const survey = custom(async ({ askMultiple }) => {
  const answers = await askMultiple(drafts);
  return { status: 'success', context_updates: { said: answers.map(({ value }) => value) } };
});

describe('6.1, 75: a handler that puts several questions', () => {
  test('puts one after the other, and is given the answers in their order', async () => {
    let open = 0;
    const interviewer = callbackInterviewer(async ({ text }) => {
      open += 1;
      await new Promise((resolve) => setImmediate(resolve));
      expect(open).toBe(1);
      open -= 1;
      return text === 'Two?' ? 'as you like' : 'yes';
    });
    const { result, events } = await runPipeline(dot, { interviewer, ...survey });
    expect(result.context.said).toEqual(['YES', 'as you like', 'YES']);
    expect(eventsOf(events, 'InterviewStarted').map(({ question }) => [question.id, question.text])).toEqual([
      ['a.1.1.1', 'One?'],
      ['a.1.1.2', 'Two?'],
      ['a.1.1.3', 'Three?'],
    ]);
  });

  test('has the next one asked after those that it asked before', async () => {
    const { result } = await runPipeline(dot, {
      interviewer: queueInterviewer(['y', 'n', 'as you like', 'y']),
      ...custom(async ({ ask, askMultiple }) => {
        const [first, others] = await Promise.all([
          ask({ type: 'YES_NO', text: 'Zero?' }),
          askMultiple(drafts),
        ]);
        return { status: 'success', context_updates: { said: [first, ...others].map(({ value }) => value) } };
      }),
    });
    expect(result.context.said).toEqual(['YES', 'NO', 'as you like', 'YES']);
  });

  test('66: is told again what was answered before the run paused, and asks the rest', async () => {
    const answers = ['yes'];
    const { directory, result } = await runPipeline(dot, {
      interviewer: callbackInterviewer(() => answers.shift()),
      ...survey,
    });
    expect(result.status).toBe('paused');
    const resumed = await resumePipeline(directory, {
      interviewer: queueInterviewer(['two', 'no']),
      ...survey,
    });
    expect(resumed.result.context.said).toEqual(['YES', 'two', 'NO']);
    expect(eventsOf(resumed.events, 'InterviewCompleted').map(({ question }) => question)).toEqual([
      'Two?',
      'Three?',
    ]);
  });

  test('asks nothing where one of them is a question that nobody could answer', async () => {
    const wrong: QuestionDraft = { type: 'SINGLE_SELECT', text: 'Which?' };
    const { result, events } = await runPipeline(dot, {
      autoApprove: true,
      ...custom(async ({ askMultiple }) => {
        await askMultiple([...drafts, wrong]);
        return { status: 'success' };
      }),
    });
    expect(result.failure_reason).toContain('without options');
    expect(eventsOf(events, 'InterviewStarted')).toEqual([]);
  });

  test('may have none to put', async () => {
    const none = custom(async ({ askMultiple }) => ({
      status: 'success',
      context_updates: { said: (await askMultiple([])).length },
    }));
    expect((await runPipeline(dot, none)).result.context.said).toBe(0);
  });
});

describe('6.1, 75: a handler that tells people something', () => {
  const telling = custom(({ inform }) => {
    inform('half of it is done');
    return { status: 'success' };
  });

  test('does so in the name of its stage', async () => {
    const told: string[] = [];
    const interviewer: Interviewer = {
      ...absentInterviewer,
      inform: (message, stage) => void told.push(`${stage}: ${message}`),
    };
    expect((await runPipeline(dot, { interviewer, ...telling })).result.status).toBe('success');
    expect(told).toEqual(['a: half of it is done']);
  });

  test('9.4: does so from a pipeline inside too', async () => {
    const told: string[] = [];
    const interviewer: Interviewer = {
      ...absentInterviewer,
      inform: (message, stage) => void told.push(`${stage}: ${message}`),
    };
    const { result } = await runProject(
      { 'main.dot': subPipeline(), 'child.dot': dot },
      { interviewer, ...telling },
    );
    expect(result.status).toBe('success');
    expect(told).toEqual(['sub/a: half of it is done']);
  });

  test.each<[string, Interviewer | undefined]>([
    ['there is nobody', undefined],
    ['nobody takes messages', absentInterviewer],
    [
      'the interviewer throws',
      {
        ...absentInterviewer,
        inform: () => {
          throw new Error('no line');
        },
      },
    ],
  ])('harms nothing where %s', async (_name, interviewer) => {
    const { result } = await runPipeline(dot, { ...(interviewer && { interviewer }), ...telling });
    expect(result).toMatchObject({ status: 'success', quality: 'clean' });
  });
});
