import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Stage } from '../../src/handlers/handler.js';
import type { QuestionDraft } from '../../src/handlers/question-draft.js';
import { heldInterviewer, turns } from '../support/interviewers.js';
import { eventsOf, pipeline, runOnDisk } from './harness.js';

const two = pipeline('a [type=x]', 'b [type=y]', 'start -> a -> b -> exit');
const success = { status: 'success' } as const;
const question: QuestionDraft = { text: 'Go on?', type: 'YES_NO' };

const calls: readonly [string, string, (stage: Stage) => unknown][] = [
  ['ask', 'ask', (stage) => stage.ask(question)],
  ['askMultiple', 'ask', (stage) => stage.askMultiple([question, question])],
  ['runChild', 'run other pipelines', (stage) => stage.runChild(childRequest)],
  ['artifacts.store', 'change artifacts', ({ artifacts }) => artifacts.store('late', 'n', 1)],
  ['artifacts.remove', 'change artifacts', ({ artifacts }) => artifacts.remove('early')],
  ['artifacts.clear', 'change artifacts', ({ artifacts }) => artifacts.clear()],
  ['writeFile', 'write files', (stage) => stage.writeFile('late.md', 'x')],
  ['openFile', 'open files', (stage) => stage.openFile('late.md')],
  ['makeStageDirectory', 'make its directory', (stage) => stage.makeStageDirectory()],
  ['sleep', 'sleep', (stage) => stage.sleep(1)],
];
const childRequest = { file: 'child.dot', inputs: {}, workingDirectory: '.' };

/** Files of a stage besides its status. */
function leftBy(stage: string, directory: string): readonly string[] {
  const place = `${directory}/${stage}`;
  return existsSync(place) ? readdirSync(place).filter((name) => name !== 'status.json') : [];
}

describe('4.1: what a handler does when its attempt is over changes nothing', () => {
  test.each(calls)('%s, while another stage is at work and after the run', async (_name, what, call) => {
    const interviewer = heldInterviewer();
    let late: Stage | undefined;
    const attempt = async (): Promise<unknown> => {
      if (late === undefined) throw new Error('the stage was not executed');
      return call(late);
    };
    const refusal = `attempt 1 of "a" is over: its handler can no longer ${what}`;
    const { result, events, directory } = await runOnDisk(two, {
      interviewer,
      handlers: {
        x: async (stage) => {
          late = stage;
          stage.artifacts.store('early', 'n', 1);
          return success;
        },
        y: async ({ artifacts, sleep }) => {
          await sleep(1);
          await expect(attempt()).rejects.toThrow(refusal);
          await turns();
          return { ...success, context_updates: { kept: artifacts.retrieve('early') } };
        },
      },
    });
    expect(result).toMatchObject({ status: 'success', context: { kept: 1 } });
    await expect(attempt()).rejects.toThrow(refusal);
    expect(interviewer.asked).toEqual([]);
    expect(eventsOf(events, 'InterviewStarted')).toEqual([]);
    expect(leftBy('a', directory)).not.toContain('late.md');
  });

  test.each([
    ['at once', false],
    ['later', true],
  ])(
    '6.1: a question that its handler did not wait for is taken back, where that ended %s',
    async (_when, isLater) => {
      const interviewer = heldInterviewer();
      let answer: Promise<unknown> = Promise.resolve();
      const { result } = await runOnDisk(two, {
        interviewer,
        handlers: {
          x: ({ ask }) => {
            answer = ask(question);
            return isLater ? turns().then(() => success) : success;
          },
          y: () => success,
        },
      });
      expect(result.status).toBe('success');
      await expect(answer).rejects.toThrow('attempt 1 of "a" is over');
      expect(interviewer.asked).toHaveLength(isLater ? 1 : 0);
      if (isLater) expect(interviewer.reasonOf(0)).toBeInstanceOf(Error);
    },
  );
});

test.each(['', '.', '..', '../x', 'a/b', '/etc/x', 'a\\b', 'a\0b', 7])(
  '5.6: a stage has no file called %j',
  async (name) => {
    const { result, directory } = await runOnDisk(two, {
      handlers: {
        x: (stage) => {
          expect(() => stage.openFile(name as string)).toThrow(TypeError);
          stage.writeFile(name as string, 'x');
          return success;
        },
        y: () => success,
      },
    });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'a' });
    expect(result.failure_reason).toContain('a file of a stage cannot be called');
    expect(leftBy('a', directory)).toEqual([]);
  },
);

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const throwing = (message: string): PropertyDescriptor => ({
  enumerable: true,
  get() {
    throw new Error(message);
  },
});

describe('4.12: an outcome that cannot be read is a failure of its stage', () => {
  test.each<[string, () => unknown, boolean]>([
    ['its status', () => Object.defineProperty({}, 'status', throwing('no status')), false],
    [
      'a context update',
      () => ({ ...success, context_updates: Object.defineProperty({}, 'a', throwing('no a')) }),
      false,
    ],
    ['a proxy', revoked, false],
    ['a proxy that is thrown', revoked, true],
  ])('%s', async (_name, make, isThrown) => {
    const branches = pipeline(
      'fork [shape=component]',
      'join [shape=tripleoctagon]',
      'a [type=x]',
      'b [type=y]',
      'start -> fork',
      'fork -> a -> join',
      'fork -> b -> join',
      'join -> exit',
    );
    const { result, events } = await runOnDisk(branches, {
      handlers: {
        x: async ({ sleep }) => {
          await sleep(1);
          const made = make();
          if (isThrown) throw made;

          return made as undefined;
        },
        y: () => success,
      },
    });
    expect(eventsOf(events, 'StageFailed')).toMatchObject([{ node_id: 'a' }]);
    expect(eventsOf(events, 'StageCompleted').map(({ node_id: id }) => id)).toContain('b');
    expect(result.status).not.toBe('cancelled');
  });
});
