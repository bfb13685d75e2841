import { describe, expect, test } from 'vitest';
import type { Handler } from '../../../src/handlers/handler.js';
import { HandlerRegistry } from '../../../src/run/driver/handler-registry.js';
import { jsonOf, pipeline, runOnDisk, runPipeline, type Setup } from '../harness.js';

const custom = (execute: Handler['execute']): Setup => ({ handlers: { custom: execute } });

describe('4.2: the registry', () => {
  test('11.12: finds a registered type, before the shape', async () => {
    const executed: string[] = [];
    const text = pipeline(
      'a [type=custom, shape=parallelogram, tool_command="exit 1"]',
      'start -> a -> exit',
    );
    const { result } = await runPipeline(
      text,
      custom(({ node }) => {
        executed.push(node.id);
        return { status: 'success' };
      }),
    );
    expect(executed).toEqual(['a']);
    expect(result.status).toBe('success');
  });

  test('an unknown type falls back to the shape', async () => {
    const text = pipeline(
      'a [type=unknown, shape=parallelogram, tool_command="echo $((20 + 3))"]',
      'start -> a -> exit',
    );
    expect((await runOnDisk(text)).result.context['tool.output']).toBe('23\n');
  });

  test.each(['start', 'exit', 'codergen', 'conditional', 'wait.human', 'tool'])(
    'replaces the built-in %s',
    async (type) => {
      const executed: string[] = [];
      const text = pipeline(
        ...['c', 'd [shape=diamond]', 'h [shape=hexagon]', 't [shape=parallelogram]'],
        'start -> c -> d -> h -> t -> exit',
      );
      await runPipeline(text, {
        autoApprove: true,
        script: { t: {} },
        handlers: {
          [type]: ({ node }) => {
            executed.push(node.id);
            return { status: 'success' };
          },
        },
        ...(type === 'tool' && { script: {} }),
      });
      const ids = {
        start: 'start',
        exit: 'exit',
        codergen: 'c',
        conditional: 'd',
        'wait.human': 'h',
        tool: 't',
      };
      expect(executed).toEqual([new Map(Object.entries(ids)).get(type)]);
    },
  );

  test('a later registration replaces an earlier one', () => {
    const first: Handler = { execute: () => undefined };
    const second: Handler = { execute: () => undefined };
    const registry = new HandlerRegistry().register('x', first).register('x', second);
    expect(registry.types).toEqual(['x']);
    expect(registry.handlers(undefined).get('x')).toBe(second);
  });

  test('DESIGN 5: under simulate nothing real is called, not even what was registered', async () => {
    const called: string[] = [];
    const call = (name: string) => () => {
      called.push(name);
      return { status: 'fail' } as const;
    };
    const text = pipeline(
      'a',
      'b [type=custom]',
      't [shape=parallelogram, tool_command=false]',
      'start -> a -> b -> t -> exit',
    );
    const { result, directory } = await runPipeline(text, {
      simulate: true,
      backend: { run: () => Promise.resolve(call('backend')()) },
      handlers: {
        custom: call('custom'),
        tool: call('tool'),
        codergen: call('codergen'),
        exit: call('exit'),
      },
    });
    expect(called).toEqual([]);
    expect(result.status).toBe('success');
    expect(jsonOf(directory, 't', 'status.json').notes).toBe('[Simulated] t');
  });
});
