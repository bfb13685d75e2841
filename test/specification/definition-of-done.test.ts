import { describe, expect, test } from 'vitest';
import type { Stage } from '../../src/handlers/handler.js';
import { eventsOf, jsonOf, pipeline, runPipeline, type Setup } from '../run/harness.js';

/*
 * The lines of the specification's §11.3–11.5, each under its own words; the definition-of-done files beside this one have
 * those of §11.6–11.9. What a line leaves open is tested elsewhere, by the rows that settle it.
 */

const fail = { outcome: 'fail', failure_reason: 'red' };
const linear = pipeline('A', 'B', 'C', 'start -> A -> B -> C -> exit');

async function pathOf(dot: string, setup: Setup = {}): Promise<string> {
  const { result } = await runPipeline(dot, setup);
  return `${result.path.join(' ')}: ${result.status}`;
}

describe('11.3 Execution Engine', () => {
  test('Engine resolves the start node and begins execution there', async () => {
    const byId =
      'digraph G { begin [shape=Mdiamond] a [prompt=x] exit [shape=Msquare] a -> exit begin -> a }';
    expect(await pathOf(byId)).toBe('begin a exit: success');
    expect(await pathOf('digraph G { Start a [prompt=x] end Start -> a -> end }')).toBe(
      'Start a end: success',
    );
  });

  test("Each node's handler is resolved via shape-to-handler-type mapping", async () => {
    const called: string[] = [];
    const spy = (type: string) => (stage: Stage) => {
      called.push(`${stage.node.id} ${type}`);
      return { status: 'success' } as const;
    };
    const types = ['start', 'exit', 'codergen', 'wait.human', 'conditional', 'tool'];
    await runPipeline(
      pipeline(
        ...['box', 'h [shape=hexagon]', 'd [shape=diamond]', 't [shape=parallelogram]'],
        'start -> box -> h -> d -> t -> exit',
      ),
      { handlers: Object.fromEntries(types.map((type) => [type, spy(type)])) },
    );
    expect(called).toEqual([
      ...['start start', 'box codergen', 'h wait.human', 'd conditional', 't tool', 'exit exit'],
    ]);
  });

  test('Handler is called with (node, context, graph, logs_root) and returns an Outcome', async () => {
    const { result, directory } = await runPipeline(
      pipeline('goal=G', 'a [type=spy]', 'start -> a -> exit'),
      {
        handlers: {
          spy: ({ node, context, graph, logsRoot }) => ({
            status: 'success',
            context_updates: { seen: [node.id, context.getString('graph.goal'), graph.nodes.size, logsRoot] },
          }),
        },
      },
    );
    expect(result.context.seen).toEqual(['a', 'G', 3, directory]);
  });

  test('Outcome is written to {logs_root}/{node_id}/status.json', async () => {
    const { directory } = await runPipeline(linear, { script: { B: { notes: 'hello' } } });
    for (const id of ['A', 'B', 'C']) expect(jsonOf(directory, id, 'status.json').outcome).toBe('success');
    expect(jsonOf(directory, 'B', 'status.json').notes).toBe('hello');
  });

  test('Edge selection follows the 5-step priority', async () => {
    const edges = ['condition="outcome=success"', 'label="L"', '', 'weight=1', ''];
    const dot = pipeline(
      ...['a', 'n1', 'n2', 'n3', 'n4', 'n0', 'start -> a'],
      ...edges.map((attributes, index) => `a -> n${(index + 1) % 5} [${attributes}]`),
      ...edges.map((_edge, index) => `n${index} -> exit`),
    );
    const without = (...lines: readonly string[]) => lines.reduce((text, one) => text.replace(one, ''), dot);
    const suggesting = { script: { a: { preferred_label: 'L', suggested_next_ids: ['n3'] } } };
    const rest = ['n1 -> exit', 'n1\n'];
    expect(await pathOf(dot, suggesting)).toContain('a n1');
    const noCondition = without('a -> n1 [condition="outcome=success"]', ...rest);
    expect(await pathOf(noCondition, suggesting)).toContain('a n2');
    expect(await pathOf(noCondition, { script: { a: { suggested_next_ids: ['n3'] } } })).toContain('a n3');
    expect(await pathOf(noCondition)).toContain('a n4');
    expect(await pathOf(noCondition.replace('weight=1', ''))).toContain('a n0');
  });

  test('Engine loops: execute node -> select edge -> advance to next node -> repeat', async () => {
    const { events } = await runPipeline(linear);
    const turns = events.filter(({ type }) => /^(StageStarted|StageCompleted|EdgeSelected)$/.test(type));
    expect(
      turns.map((event) =>
        event.type === 'EdgeSelected' ? event.to : 'node_id' in event ? event.node_id : '',
      ),
    ).toEqual([...['start', 'start', 'A', 'A', 'A', 'B', 'B', 'B', 'C', 'C', 'C', 'exit', 'exit', 'exit']]);
  });

  test('Terminal node (shape=Msquare) stops execution', async () => {
    expect(await pathOf(linear)).toBe('start A B C exit: success');
  });

  test('Pipeline outcome is "success" if all goal_gate nodes succeeded, "fail" otherwise', async () => {
    const gates = pipeline('node [goal_gate=true, on_failure=continue]', 'A', 'B', 'start -> A -> B -> exit');
    expect(await pathOf(gates)).toBe('start A B exit: success');
    expect(await pathOf(gates, { script: { B: fail } })).toBe('start A B: fail');
  });
});

describe('11.4 Goal Gate Enforcement', () => {
  const gate = (target: string) =>
    pipeline(`A [goal_gate=true, on_failure=continue]`, target, 'B', 'start -> A -> B -> exit');

  test('Nodes with goal_gate=true are tracked throughout execution', async () => {
    expect(await pathOf(gate(''), { script: { A: fail } })).toBe('start A B: fail');
  });

  test('Before allowing exit, the engine checks all goal gate nodes have status SUCCESS', async () => {
    expect(await pathOf(gate(''))).toBe('start A B exit: success');
    const notYet = ['partial_success', 'skipped', 'fail'].map((outcome) =>
      pathOf(gate(''), { script: { A: { outcome } } }),
    );
    // §3.4 counts a partial success as one, and SEMANTICS 37 a skip as nothing.
    expect(await Promise.all(notYet)).toEqual([
      ...['start A B exit: success', 'start A B exit: success', 'start A B: fail'],
    ]);
  });

  test('If any goal gate node has not succeeded, the engine routes to retry_target instead of exiting', async () => {
    expect(await pathOf(gate('retry_target=A'), { script: { A: [fail, {}] } })).toBe(
      'start A B A B exit: success',
    );
  });

  test('If no retry_target and goal gates unsatisfied, pipeline outcome is "fail"', async () => {
    const { result } = await runPipeline(gate(''), { script: { A: fail } });
    expect(result).toMatchObject({
      status: 'fail',
      failed_node: 'A',
      failure_reason: expect.stringContaining('"A"'),
    });
  });
});

describe('11.5 Retry Logic', () => {
  const retried = (attributes: string) =>
    pipeline(
      `A [${attributes}]`,
      'B',
      'start -> A -> exit',
      'A -> B [condition="outcome=fail"]',
      'B -> exit',
    );

  test.each(['retry', 'fail'])('Nodes with max_retries > 0 are retried on %s', async (outcome) => {
    const { events } = await runPipeline(retried('max_retries=2'), {
      script: { A: [{ outcome }, { outcome }, {}] },
    });
    expect(eventsOf(events, 'StageRetrying')).toHaveLength(2);
  });

  test('Retry count is tracked per-node and respects the configured limit', async () => {
    const { directory, result } = await runPipeline(
      pipeline('A [max_retries=1]', 'B [max_retries=3]', 'start -> A -> B -> exit'),
      { script: { A: [fail, {}], B: fail } },
    );
    expect(result).toMatchObject({ status: 'fail', failed_node: 'B' });
    expect(jsonOf(directory, 'checkpoint.json').node_retries).toMatchObject({ A: 0, B: 3 });
  });

  test.each([
    ['linear', 1],
    ['standard', 2],
    ['patient', 3],
  ])('Backoff between retries works: %s', async (policy, factor) => {
    const { events } = await runPipeline(retried(`retry_policy=${policy}`), {
      script: { A: { outcome: 'retry' } },
    });
    const [first = 0, second = 0] = eventsOf(events, 'StageRetrying').map(({ delay }) => delay);
    expect(second / first).toBeGreaterThan((factor * 0.5) / 1.5);
    expect(second / first).toBeLessThan((factor * 1.5) / 0.5);
  });

  test('Jitter is applied to backoff delays', async () => {
    const { events } = await runPipeline(retried('retry_policy=linear, max_retries=9'), {
      script: { A: { outcome: 'retry' } },
    });
    const delays = eventsOf(events, 'StageRetrying').map(({ delay }) => delay);
    expect(new Set(delays).size).toBeGreaterThan(1);
    for (const delay of delays) expect(Math.abs(delay - 500)).toBeLessThanOrEqual(250);
  });

  test("After retry exhaustion, the node's final outcome is used for edge selection", async () => {
    expect(await pathOf(retried('max_retries=1'), { script: { A: fail } })).toBe('start A B exit: success');
  });
});
