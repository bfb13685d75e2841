import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { Handler, Stage } from '../../src/handlers/handler.js';
import type { RunEvent } from '../../src/machine/event.js';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import { start } from '../../src/run/execution.js';
import { run } from '../../src/run/run.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { eventsOf, pipeline, runPipeline, type Setup } from './harness.js';

const one = pipeline('a [type=x]', 'start -> a -> exit');
const two = pipeline('a [type=x]', 'b [type=y]', 'start -> a -> b -> exit');
const success = { status: 'success' } as const;

/** As code does that no compiler has seen. */
function vandalize(value: unknown): void {
  (value as { k: number }).k = 99;
}

describe('5.1: what a handler reads from the context is its own', () => {
  const reads: readonly [string, (stage: Stage) => unknown][] = [
    ['get', ({ context }) => context.get('o')],
    ['entries', ({ context }) => new Map(context.entries()).get('o')],
    ['snapshot', ({ context }) => context.snapshot().o],
    ['the outcome of the stage before', ({ result }) => result?.context_updates?.o],
  ];
  test.each(reads)('%s', async (_name, read) => {
    const { result } = await runPipeline(two, {
      handlers: {
        x: () => ({ ...success, context_updates: { o: { k: 1 } } }),
        y: (stage) => {
          vandalize(read(stage));
          return { ...success, context_updates: { seen: stage.context.get('o') ?? null } };
        },
      },
    });
    expect(result.context).toMatchObject({ o: { k: 1 }, seen: { k: 1 } });
  });

  test('also what it has set itself', async () => {
    const { result } = await runPipeline(one, {
      handlers: {
        x: ({ context }) => {
          context.set('o', { k: 1 });
          vandalize(context.get('o'));
          vandalize(new Map(context.entries()).get('o'));
          return success;
        },
      },
    });
    expect(result.context.o).toEqual({ k: 1 });
  });

  test('an outcome that changes when it has been given', async () => {
    const outcome: { status: 'success' | 'fail' } = { status: 'success' };
    const { result } = await runPipeline(two, {
      handlers: {
        x: () => outcome,
        y: ({ result: before }) => {
          outcome.status = 'fail';
          return { ...success, context_updates: { before: before?.status ?? null } };
        },
      },
    });
    expect(result).toMatchObject({ status: 'success', quality: 'clean', context: { before: 'success' } });
  });

  test('a name that objects have', async () => {
    const { result } = await runPipeline(two, {
      handlers: {
        x: () => ({ ...success, context_updates: { o: JSON.parse('{"__proto__":{"k":1}}') } }),
        y: ({ context }) => ({ ...success, context_updates: { copy: context.get('o') ?? null } }),
      },
    });
    expect(JSON.stringify(result.context.copy)).toBe('{"__proto__":{"k":1}}');
  });
});

describe('9.6: what observers are told cannot be changed', () => {
  const handlers: Setup['handlers'] = { x: () => ({ ...success, context_updates: { o: { k: 1 } } }) };

  test('neither the values of the run nor the events of others', async () => {
    const { result, events } = await runPipeline(one, {
      handlers,
      onEvent: (event) => {
        const value = event.type === 'StageCompleted' ? event.outcome.context_updates?.o : undefined;
        if (value !== undefined) vandalize(value);
      },
    });
    expect(result.context.o).toEqual({ k: 1 });
    expect(eventsOf(events, 'LogAppended').map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^an observer of the run threw: .*read only/),
    );
  });

  test('of several readers', async () => {
    const registry = new HandlerRegistry();
    registry.register('x', { execute: () => success });
    const execution = start(one, { handlers: registry, runDirectory: `${temporaryDirectory()}/run` });
    const types = async (read: (event: RunEvent) => void): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const event of execution.events()) {
        read(event);
        found.push(event.type);
      }
      return found;
    };
    const spoil = (event: RunEvent): void =>
      expect(() => Object.assign(event, { type: 'HACK' })).toThrow(TypeError);
    const [first, second] = await Promise.all([types(spoil), types(() => undefined)]);
    expect(first).toEqual(second);
    expect(first).toContain('StageCompleted');
  });
});

describe('4.1: the graph that a handler is given cannot be changed', () => {
  const attempts: readonly [string, (stage: Stage) => unknown][] = [
    ['its nodes', ({ graph }) => (graph.nodes as Map<string, unknown>).clear()],
    ['its attributes', ({ graph }) => (graph.attributes as Map<string, unknown>).delete('goal')],
    ['its edges', ({ graph }) => (graph.edges as unknown[]).pop()],
    ['an edge', ({ graph }) => Object.assign(graph.edges[0] ?? {}, { to: 'a' })],
    ['a node', ({ node }) => Object.assign(node, { id: 'b' })],
    ['the attributes of a node', ({ node }) => (node.attributes as Map<string, unknown>).set('prompt', 1)],
    ['an attribute', ({ node }) => Object.assign(node.attributes.get('type') ?? {}, { value: 'y' })],
  ];
  test.each(attempts)('%s', async (_name, attempt) => {
    const registry = new HandlerRegistry();
    const execute: Handler['execute'] = (stage) => {
      expect(() => attempt(stage)).toThrow(TypeError);
      expect(stage.graph.nodes.get(stage.node.id)).toBe(stage.node);
      expect(new Map(structuredClone(stage.graph).nodes).size).toBe(3);
      return success;
    };
    registry.register('x', { execute });
    const compilation = compile(one, { handlerTypes: registry.types });
    for (const name of ['first', 'second']) {
      const runDirectory = `${temporaryDirectory()}/${name}`;
      const result = await run(compilation, { handlers: registry, runDirectory });
      expect(result).toMatchObject({ status: 'success' });
    }
  });
});
