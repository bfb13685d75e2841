import { expect, test, vi } from 'vitest';
import { RenderError } from '../../src/render/render-error.js';
import { renderSvg } from '../../src/render/svg.js';
import { buildGraph } from './build-graph.js';

const failure = vi.hoisted(() => ({ error: new Error() }));

vi.mock('../../src/render/graphviz.js', () => {
  const graphviz = {
    layout() {
      throw failure.error;
    },
  };
  return {
    Graphviz: { load: async () => graphviz, unload() {} },
    graphvizModule: 'data:text/javascript,throw new Error("Maximum call stack size exceeded")',
  };
});

async function failureOf(error: Error): Promise<unknown> {
  failure.error = error;
  const graph = buildGraph({ name: 'Long', nodes: [['a'], ['b']], edges: [['a', 'b']] });
  return renderSvg(graph).catch((caught: unknown) => caught);
}

test('a layout that Graphviz refuses', async () => {
  const error = await failureOf(new Error('out of memory\n'));
  expect(error).toBeInstanceOf(RenderError);
  expect(error).toMatchObject({
    name: 'RenderError',
    message: 'Graphviz could not lay out the pipeline "Long" (2 nodes and 1 edges): out of memory',
  });
});

test('a stack overflow, also on the thread that is tried next', async () => {
  const error = await failureOf(new RangeError('Maximum call stack size exceeded'));
  expect(error).toBeInstanceOf(RenderError);
  expect(error).toMatchObject({
    message: expect.stringMatching(/"Long" .* too long for the layout: .* write DOT/),
  });
});
