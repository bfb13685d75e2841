import { expect, onTestFinished, test, vi } from 'vitest';
import { LayoutThreads } from '../../src/render/layout-threads.js';

vi.mock('../../src/render/graphviz.js', () => {
  const layout = `layout: (dot) => { while (dot === 'endless'); return dot; }`;
  const module = `export const Graphviz = { load: async () => ({ ${layout} }) };`;
  return { graphvizModule: `data:text/javascript,${encodeURIComponent(module)}` };
});

function threads(timeoutMs?: number): LayoutThreads {
  const made = new LayoutThreads({ timeoutMs });
  onTestFinished(() => made.close());
  return made;
}

test('a layout that takes too long is given up, and the next has its turn', async () => {
  const made = threads(2000);
  const [late, next] = await Promise.allSettled([made.layout('endless'), made.layout('next')]);
  expect(late).toMatchObject({ reason: { message: 'it takes longer than 2 s' } });
  expect(next).toMatchObject({ value: 'next' });
});

test('closing ends a layout under way, and those that wait', async () => {
  const made = threads();
  expect(await made.layout('first')).toBe('first');
  const both = Promise.allSettled([made.layout('endless'), made.layout('next')]);
  await made.close();
  expect(await both).toMatchObject([
    { reason: { message: expect.stringMatching(/ended|about to end/) } },
    { reason: { message: 'the process is about to end' } },
  ]);
});
