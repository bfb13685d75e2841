import { expect, onTestFinished, test, vi } from 'vitest';
import { layoutTask } from '../../src/render/layout-task.js';
import {
  ThreadEndedError,
  ThreadPool,
  ThreadsBusyError,
  type ThreadTask,
} from '../../src/threads/thread-pool.js';
import { turns } from '../support/interviewers.js';

/** A task whose module does what it is told. */
const obedient: ThreadTask<string, string> = {
  underWay: 'things are being done',
  load: async () => {
    const cases = `{
      async endless() { for (;;); },
      memory() { const all = []; for (;;) all.push(new Array(1000).fill(all.length)); },
      exit() { process.exit(3); },
      refuse() { throw new Error('no'); },
    }`;
    const code = `const cases = ${cases}; export const obey = (word) => cases[word]?.() ?? 'did ' + word;`;
    return { module: `data:text/javascript,${encodeURIComponent(code)}` };
  },
  perform: 'module.obey',
  threads: 1,
  timeoutMs: undefined,
  mostWaiting: undefined,
  memory: { stackSizeMb: 4, maxOldGenerationSizeMb: 32 },
};

function pool(
  options: Partial<ThreadTask<string, string>> = {},
  task = obedient,
): ThreadPool<string, string> {
  const made = new ThreadPool({ ...task, ...options });
  onTestFinished(() => made.close());
  return made;
}

test('one thread performs one input after the other, in the order in which they came', async () => {
  const made = pool();
  const order: string[] = [];
  const run = async (word: string): Promise<void> => void order.push(await made.run(word));
  await Promise.all(['a', 'b', 'c'].map(run));
  expect(order).toEqual(['did a', 'did b', 'did c']);
});

test('an error of the task is told, and does not keep the next from its turn', async () => {
  const made = pool();
  await expect(made.run('refuse')).rejects.toThrow(/^no$/);
  expect(await made.run('next')).toBe('did next');
});

test('more than may wait are refused at once', async () => {
  const made = pool({ mostWaiting: 1 });
  const first = [made.run('a'), made.run('b')];
  const refused = made.run('c');
  await expect(refused).rejects.toThrow(ThreadsBusyError);
  await expect(refused).rejects.toThrow(
    '1 things are being done and 1 wait, which is the limit; try again later',
  );
  await Promise.all(first);
  expect(await made.run('d')).toBe('did d');
});

test.each([
  { word: 'endless', why: 'it takes longer than 1.5 s' },
  { word: 'memory', why: /memory/ },
  { word: 'exit', why: 'its thread ended with code 3' },
])(
  '$word: a thread that is ended gives its input up, and the next has its turn on another',
  async ({ word, why }) => {
    // However long the next thread takes to start, its time does not pass.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const made = pool({ timeoutMs: 1500 });
    expect(await made.run('first')).toBe('did first');
    const both = Promise.allSettled([made.run(word), made.run('next')]);
    await turns();
    if (word === 'endless') vi.advanceTimersByTime(1500);
    const [ended, next] = await both;
    expect(ended).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(why) } });
    expect(ended).toHaveProperty('reason', expect.any(ThreadEndedError));
    expect(next).toMatchObject({ value: 'did next' });
  },
);

test('closing ends work under way, and what waits', async () => {
  const made = pool();
  expect(await made.run('first')).toBe('did first');
  const both = Promise.allSettled([made.run('endless'), made.run('next')]);
  await made.close();
  expect(await both).toMatchObject([
    { reason: { message: expect.stringMatching(/ended|about to end/) } },
    { reason: { message: 'the process is about to end' } },
  ]);
});

test('a function of the sources is called here', async () => {
  const here = pool({ load: async () => ({ here: (word) => `here ${word}` }) });
  expect(await here.run('a')).toBe('here a');
});

test('layouts: a text that Graphviz refuses is told, and does not keep the next from its turn', async () => {
  const made = pool({}, layoutTask);
  await expect(made.run('digraph {')).rejects.toThrow(/syntax error/);
  expect(await made.run('digraph g { a -> b }')).toContain('<svg');
});
