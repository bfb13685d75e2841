import { expect, onTestFinished, test } from 'vitest';
import { LayoutsWaitError, LayoutThreads } from '../../src/render/layout-threads.js';

const dot = 'digraph g { a -> b }';

function threads(options: ConstructorParameters<typeof LayoutThreads>[0]): LayoutThreads {
  const made = new LayoutThreads(options);
  onTestFinished(() => made.close());
  return made;
}

test('one thread lays out one text after the other, in the order in which they came', async () => {
  const { layout, order } = noting(threads({}));
  await Promise.all(['a', 'b', 'c'].map((name) => layout(name)));
  expect(order).toEqual(['a', 'b', 'c']);
});

test('a text that Graphviz refuses is told, and does not keep the next from its turn', async () => {
  const made = threads({});
  await expect(made.layout('digraph {')).rejects.toThrow(/syntax error/);
  expect(await made.layout(dot)).toContain('<svg');
});

test('more than may wait are refused at once', async () => {
  const made = threads({ mostWaiting: 1 });
  const first = [made.layout(dot), made.layout(dot)];
  await expect(made.layout(dot)).rejects.toThrow(LayoutsWaitError);
  await Promise.all(first);
  expect(await made.layout(dot)).toContain('<svg');
});

function noting(made: LayoutThreads) {
  const order: string[] = [];
  const layout = async (name: string): Promise<void> => {
    expect(await made.layout(`digraph ${name} { x }`)).toContain(`>${name}<`);
    order.push(name);
  };
  return { layout, order };
}
