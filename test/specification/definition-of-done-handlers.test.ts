import { describe, expect, test } from 'vitest';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import { run } from '../../src/run/run.js';
import {
  eventsOf,
  fileOf,
  jsonOf,
  pipeline,
  resumePipeline,
  runOnDisk,
  runPipeline,
} from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/* The lines of the specification's §11.6 and §11.7, each under its own words. */

const fail = { outcome: 'fail', failure_reason: 'red' };
const linear = pipeline('A', 'B', 'C', 'start -> A -> B -> C -> exit');
const fan = pipeline(
  'fan [shape=component]; join [shape=tripleoctagon, prompt=""]; node [type=spy]; A; B; C',
  'start -> fan; fan -> A -> join; fan -> B -> join; fan -> C -> join; join -> exit',
);

describe('11.6 Node Handlers', () => {
  test('Start handler: returns SUCCESS immediately', async () => {
    const { events, directory } = await runPipeline(linear);
    expect(eventsOf(events, 'StageCompleted')[0]).toMatchObject({
      node_id: 'start',
      outcome: { status: 'success' },
      duration: 0,
    });
    expect(jsonOf(directory, 'start', 'status.json').outcome).toBe('success');
  });

  test('Exit handler: returns SUCCESS immediately; the engine checks goal gates', async () => {
    const dot = pipeline('A [goal_gate=true, on_failure=continue]', 'start -> A -> exit');
    const { events, result } = await runPipeline(dot);
    expect(eventsOf(events, 'StageCompleted').at(-1)).toMatchObject({
      node_id: 'exit',
      outcome: { status: 'success' },
    });
    expect(result.path).toEqual(['start', 'A', 'exit']);
    const refused = await runPipeline(dot, { script: { A: fail } });
    expect(refused.result).toMatchObject({ status: 'fail', path: ['start', 'A'] });
  });

  test('Codergen handler: expands $goal, calls CodergenBackend.run(), writes prompt.md and response.md', async () => {
    const { directory } = await runPipeline(
      pipeline('goal="Win"', 'A [prompt="Plan: $goal"]', 'start -> A -> exit'),
      { backend: { run: (_node, prompt) => Promise.resolve(`re: ${prompt}`) } },
    );
    expect(fileOf(directory, 'A', 'prompt.md')).toBe('Plan: Win');
    expect(fileOf(directory, 'A', 'response.md')).toBe('re: Plan: Win');
  });

  test('Wait.human handler: presents outgoing edge labels as choices, returns selected label as preferred_label', async () => {
    const dot = pipeline(
      ...['h [shape=hexagon]', 'A', 'B', 'start -> h', 'h -> A [label="Yes"]', 'h -> B [label="No"]'],
      ...['A -> exit', 'B -> exit'],
    );
    const { result, events, directory } = await runPipeline(dot, { answers: { h: 'No' } });
    const [asked] = eventsOf(events, 'InterviewStarted');
    expect(asked?.question.options.map(({ label }) => label)).toEqual(['Yes', 'No']);
    expect(jsonOf(directory, 'h', 'status.json').preferred_label).toBe('No');
    expect(result).toMatchObject({ path: ['start', 'h', 'B', 'exit'], context: { preferred_label: 'No' } });
  });

  test('Conditional handler: passes through; engine evaluates edge conditions against outcome/context', async () => {
    const dot = pipeline(
      ...[
        'A [on_failure=continue]',
        'd [shape=diamond]',
        'B',
        'C',
        'start -> A -> d',
        'B -> exit',
        'C -> exit',
      ],
      ...['d -> exit [condition="outcome=success && context.ok=true"]', 'd -> B [condition="outcome=fail"]'],
      'd -> C [condition="outcome=success && context.ok!=true"]',
    );
    const pathWith = async (A: object) => (await runPipeline(dot, { script: { A } })).result.path.join(' ');
    expect(await pathWith({ context_updates: { ok: true } })).toBe('start A d exit');
    expect(await pathWith({})).toBe('start A d C exit');
    expect(await pathWith(fail)).toBe('start A d B exit');
  });

  test('Parallel handler: fans out to multiple target nodes concurrently', async () => {
    const begun: string[] = [];
    let release: () => void = () => undefined;
    const allBegun = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { result } = await runPipeline(fan, {
      handlers: {
        spy: async ({ node }) => {
          begun.push(node.id);
          if (begun.length === 3) release();
          await allBegun;
          return { status: 'success' };
        },
      },
    });
    expect(begun).toEqual(['A', 'B', 'C']);
    expect(result).toMatchObject({
      status: 'success',
      path: ['start', 'fan', 'A', 'B', 'C', 'join', 'exit'],
    });
  });

  test('Fan-in handler: waits for all parallel branches to complete before proceeding', async () => {
    const script = { A: { delay: '3s' }, B: { delay: '1h' }, C: {} };
    const { events, result } = await runPipeline(fan.replaceAll('type=spy', 'label=x'), { script });
    const order = events.flatMap((event) => {
      if (event.type === 'StageCompleted') return [event.node_id];
      return event.type === 'StageStarted' && event.node_id === 'join' ? ['join begins'] : [];
    });
    expect(order.slice(1, 5)).toEqual(['C', 'A', 'B', 'fan']);
    expect(order.slice(5)).toEqual(['join begins', 'join', 'exit']);
    expect(result).toMatchObject({ duration_ms: 3_600_000, context: { 'parallel.fan_in.best_id': 'A' } });
  });

  test('Tool handler: executes configured tool/command and returns result', async () => {
    const dot = pipeline('t [shape=parallelogram, tool_command="echo $((6 * 7))"]', 'start -> t -> exit');
    expect((await runOnDisk(dot)).result.context).toMatchObject({
      'tool.output': '42\n',
      'tool.exit_code': 0,
    });
  });

  test('Custom handlers can be registered by type string', async () => {
    const handlers = new HandlerRegistry();
    handlers.register('com.example.greet', {
      execute: ({ node }) => ({ status: 'success', notes: `hello ${node.id}` }),
    });
    const dot = pipeline('A [type="com.example.greet"]', 'start -> A -> exit');
    const runDirectory = `${temporaryDirectory()}/run`;
    expect(await run(dot, { handlers, runDirectory })).toMatchObject({ status: 'success' });
    expect(jsonOf(runDirectory, 'A', 'status.json').notes).toBe('hello A');
  });
});

describe('11.7 State and Context', () => {
  test('Context is a key-value store accessible to all handlers', async () => {
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

  test('Handlers can read context and return context_updates in the Outcome', async () => {
    const dot = pipeline('node [type=count]', 'A', 'B', 'C', 'start -> A -> B -> C -> exit');
    const { result } = await runPipeline(dot, {
      handlers: {
        count: ({ context }) => ({
          status: 'success',
          context_updates: { count: Number(context.get('count') ?? 0) + 1 },
        }),
      },
    });
    expect(result.context.count).toBe(3);
  });

  test('Context updates are merged after each node execution', async () => {
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

  test('Checkpoint is saved after each node completion (current_node, completed_nodes, context, retry counts)', async () => {
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

  test('Resume from checkpoint: load checkpoint -> restore state -> continue from current_node', async () => {
    const script = { B: [{ context_updates: { x: 1 } }] };
    const whole = await runPipeline(linear, { script });
    const cut = await runPipeline(linear, { maxSteps: 1, script });
    expect(jsonOf(cut.directory, 'checkpoint.json')).toMatchObject({
      current_node: 'A',
      completed_nodes: ['start', 'A'],
    });
    const { result, events } = await resumePipeline(cut.directory, { maxSteps: 100 });
    expect(eventsOf(events, 'StageStarted').map(({ node_id }) => node_id)).toEqual(['B', 'C', 'exit']);
    expect(result).toMatchObject({
      status: 'success',
      path: whole.result.path,
      completed_nodes: whole.result.completed_nodes,
      context: whole.result.context,
    });
  });

  test('Artifacts are written to {logs_root}/{node_id}/ (prompt.md, response.md, status.json)', async () => {
    const { directory } = await runPipeline(linear, {
      backend: { run: ({ id }) => Promise.resolve(`done: ${id}`) },
    });
    for (const id of ['A', 'B', 'C']) {
      expect(fileOf(directory, id, 'prompt.md')).toContain('Do it');
      expect(fileOf(directory, id, 'response.md')).toBe(`done: ${id}`);
      expect(jsonOf(directory, id, 'status.json')).toMatchObject({ outcome: 'success' });
    }
  });
});
