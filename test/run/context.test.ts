import { describe, expect, test } from 'vitest';
import type { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { jsonOf, pipeline, runPipeline } from './harness.js';

const fail = { outcome: 'fail', failure_reason: 'red' };
const linear = pipeline('A', 'B', 'C', 'start -> A -> B -> C -> exit');

describe('5.1, 11.7: the context of a run', () => {
  test('is read and written by handlers of every type', async () => {
    const seen: Record<string, unknown> = {};
    const spy = (type: string) => ({
      execute: ({ context, node }: Parameters<Parameters<HandlerRegistry['register']>[1]['execute']>[0]) => {
        seen[type] = [context.get('n'), context.getString('s', 'unset')];
        return { status: 'success' as const, context_updates: { s: node.id } };
      },
    });
    const types = ['start', 'codergen', 'wait.human', 'conditional', 'tool', 'stack.manager_loop', 'exit'];
    const shapes = ['box', 'hexagon', 'diamond', 'parallelogram', 'house'];
    const dot = pipeline(
      ...shapes.map((shape) => `${shape} [shape=${shape}]`),
      `start -> ${shapes.join(' -> ')} -> exit`,
    );
    const handlers = Object.fromEntries(types.map((type) => [type, spy(type)]));
    await runPipeline(dot, { inputs: { n: 7 }, handlers });
    const before = ['unset', 'start', ...shapes];
    expect(seen).toEqual(Object.fromEntries(types.map((type, index) => [type, [7, before[index]]])));
  });

  test('has the updates of all stages before, the latest of each', async () => {
    const seen: unknown[] = [];
    await runPipeline(linear.replaceAll('\nC\n', '\nC [type=spy]\n'), {
      script: {
        A: { context_updates: { kept: 1, changed: 'A', 'context.x': { y: 1 } } },
        B: { context_updates: { changed: 'B' } },
      },
      handlers: {
        spy: ({ context }) => {
          seen.push(...['kept', 'changed', 'context.x'].map((key) => context.get(key)));
          return { status: 'success' };
        },
      },
    });
    expect(seen).toEqual([1, 'B', { y: 1 }]);
  });

  test('is what each checkpoint has, with completed nodes and retry counts', async () => {
    const runDirectory = `${temporaryDirectory()}/run`;
    const saved = new Map<string, unknown>();
    const read = () => {
      const { current_node, completed_nodes, context, node_retries } = jsonOf(
        runDirectory,
        'checkpoint.json',
      );
      // It is saved while a stage waits for its next attempt, too; the completion of the stage before comes first.
      if (!saved.has(current_node)) saved.set(current_node, [completed_nodes, context.x, node_retries.B]);
    };
    await runPipeline(linear.replace('\nB\n', '\nB [max_retries=2]\n'), {
      runDirectory,
      script: { A: { context_updates: { x: 1 } }, B: [fail, fail, { context_updates: { x: 2 } }] },
      onEvent: ({ type }) => type === 'CheckpointSaved' && read(),
    });
    read();
    expect([...saved]).toEqual([
      ['start', [['start'], undefined, undefined]],
      ['A', [['start', 'A'], 1, 0]],
      ['B', [['start', 'A', 'B'], 2, 0]],
      ['C', [['start', 'A', 'B', 'C'], 2, 0]],
      ['exit', [['start', 'A', 'B', 'C'], 2, 0]],
    ]);
  });
});
