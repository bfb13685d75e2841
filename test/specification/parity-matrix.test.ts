import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { graphAttribute, nodeAttribute } from '../../src/graph/attributes.js';
import { isSuccessful, type Outcome } from '../../src/machine/outcome.js';
import {
  fileOf,
  fork,
  jsonOf,
  pipeline,
  resumePipeline,
  runOnDisk,
  type Setup,
  specExample,
} from '../run/harness.js';

/*
 * The rows of the specification's §11.12, its smoke test (§11.13), and its examples (§2.13).
 */

const fail = { outcome: 'fail', failure_reason: 'red' };
const linear = pipeline('A', 'B', 'C', 'start -> A -> B -> C -> exit');

async function pathOf(dot: string, setup: Setup = {}): Promise<string> {
  const { result } = await runOnDisk(dot, setup);
  return `${result.path.join(' ')}: ${result.status}`;
}

/** The findings of one severity, by rule and node. */
function findingsIn(dot: string, wanted: 'error' | 'warning'): readonly string[] {
  const { diagnostics } = compile(dot);
  return diagnostics
    .filter(({ severity }) => severity === wanted)
    .map(({ rule, nodeId }) => (nodeId === undefined ? rule : `${rule} ${nodeId}`));
}

describe('11.12 Cross-Feature Parity Matrix', () => {
  test('Parse a simple linear pipeline (start -> A -> B -> done)', () => {
    const { graph, diagnostics } = compile(
      'digraph G { start [shape=Mdiamond]; done [shape=Msquare]; A [prompt=x]; B [prompt=x]; start -> A -> B -> done }',
    );
    expect(diagnostics).toEqual([]);
    expect([...graph.nodes.keys()]).toEqual(['start', 'done', 'A', 'B']);
    expect(graph.edges.map(({ from, to }) => `${from} ${to}`)).toEqual(['start A', 'A B', 'B done']);
  });

  test('Parse a pipeline with graph-level attributes (goal, label)', () => {
    const { graph } = compile(pipeline('graph [goal="Ship it"]', 'label="The pipeline"', 'start -> exit'));
    expect([graphAttribute(graph, 'goal'), graphAttribute(graph, 'label')]).toEqual([
      'Ship it',
      'The pipeline',
    ]);
  });

  test('Parse multi-line node attributes', () => {
    const { graph, diagnostics } = compile(
      pipeline('A [\n  label="First",\n  prompt="Do\nit",\n  max_retries=2\n]', 'start -> A -> exit'),
    );
    const A = graph.nodes.get('A');
    if (A === undefined) throw new Error('there is no node A');
    expect(diagnostics).toEqual([]);
    expect([nodeAttribute(A, 'label'), nodeAttribute(A, 'prompt'), nodeAttribute(A, 'max_retries')]).toEqual([
      ...['First', 'Do\nit', 2],
    ]);
  });

  test('Validate: missing start node -> error', () => {
    const dot = 'digraph G { done [shape=Msquare]; A [prompt=x]; A -> done }';
    expect(findingsIn(dot, 'error')).toContain('start_node');
  });

  test('Validate: missing exit node -> error', () => {
    const dot = 'digraph G { start [shape=Mdiamond]; A [prompt=x]; start -> A }';
    expect(findingsIn(dot, 'error')).toContain('terminal_node');
  });

  // The matrix says warning, §7.2 and §11.2 say error; SEMANTICS 38 decides.
  test('Validate: orphan node -> finding', () => {
    expect(findingsIn(pipeline('A', 'start -> exit'), 'error')).toEqual(['reachability A']);
  });

  test('Execute a linear 3-node pipeline end-to-end', async () => {
    expect(await pathOf(linear)).toBe('start A B C exit: success');
  });

  test('Execute with conditional branching (success/fail paths)', async () => {
    const dot = fork('condition="outcome=success"', 'condition="outcome=fail"');
    expect(await pathOf(dot)).toBe('start a b exit: success');
    expect(await pathOf(dot, { script: { a: fail } })).toBe('start a c exit: success');
  });

  test('Execute with retry on failure (max_retries=2)', async () => {
    const dot = pipeline('A [max_retries=2]', 'start -> A -> exit');
    expect(await pathOf(dot, { script: { A: [fail, fail, {}] } })).toBe('start A exit: success');
    expect(await pathOf(dot, { script: { A: [fail, fail, fail, {}] } })).toBe('start A: fail');
  });

  const gate = pipeline('A [goal_gate=true, on_failure=continue]', 'B', 'start -> A -> B -> exit');

  test('Goal gate blocks exit when unsatisfied', async () => {
    expect(await pathOf(gate, { script: { A: fail } })).toBe('start A B: fail');
    const again = gate.replace('A [', 'retry_target=A; A [');
    expect(await pathOf(again, { script: { A: [fail, {}] } })).toBe('start A B A B exit: success');
  });

  test('Goal gate allows exit when all satisfied', async () => {
    const two = gate.replace('B\n', 'B [goal_gate=true, on_failure=continue]\n');
    expect(await pathOf(two)).toBe('start A B exit: success');
    expect(await pathOf(two, { script: { B: fail } })).toBe('start A B: fail');
  });

  test('Wait.human presents choices and routes on selection', async () => {
    const dot = fork('label="[Y] Yes"', 'label="[N] No"').replace('a\n', 'a [shape=hexagon]\n');
    const asked: (readonly string[])[] = [];
    const answering = (value: string): Setup => ({
      interviewer: {
        ask: ({ options }) => {
          asked.push(options.map(({ label }) => label));
          return Promise.resolve({ value });
        },
      },
    });
    expect(await pathOf(dot, answering('Y'))).toBe('start a b exit: success');
    expect(await pathOf(dot, answering('N'))).toBe('start a c exit: success');
    expect(asked).toEqual([
      ['[Y] Yes', '[N] No'],
      ['[Y] Yes', '[N] No'],
    ]);
  });

  test('Edge selection: condition match wins over weight', async () => {
    expect(await pathOf(fork('condition="outcome=success"', 'weight=100'))).toContain('a b');
  });

  test('Edge selection: weight breaks ties for unconditional edges', async () => {
    expect(await pathOf(fork('weight=1', 'weight=2'))).toContain('a c');
  });

  test('Edge selection: lexical tiebreak as final fallback', async () => {
    expect(await pathOf(fork('', ''))).toContain('a b');
  });

  test('Context updates from one node are visible to the next', async () => {
    const seen: unknown[] = [];
    await runOnDisk(linear.replace('\nB\n', '\nB [type=spy]\n'), {
      script: { A: { context_updates: { x: [1, 'two'] } } },
      handlers: {
        spy: ({ context }) => {
          seen.push(context.get('x'));
          return { status: 'success' };
        },
      },
    });
    expect(seen).toEqual([[1, 'two']]);
  });

  // Wherever a run is cut off: test/proof/run/crash.test.ts and test/proof/crash/.
  test('Checkpoint save and resume produces same result', async () => {
    const script = { A: { context_updates: { x: 1 } }, B: { preferred_label: 'Go' }, C: { notes: 'done' } };
    const whole = await runOnDisk(linear, { script });
    const cut = await runOnDisk(linear, { script, maxSteps: 2 });
    expect(cut.result).toMatchObject({ status: 'fail', path: ['start', 'A', 'B'] });
    const { result } = await resumePipeline(cut.directory, { maxSteps: 1000 });
    const { run_id: _run, run_dir: _directory, ...expected } = whole.result;
    expect(result).toMatchObject(expected);
  });

  test('Prompt variable expansion ($goal) works', async () => {
    const dot = pipeline('goal="the launch"', 'A [prompt="Plan $goal."]', 'start -> A -> exit');
    const { directory } = await runOnDisk(dot);
    expect(fileOf(directory, 'A', 'prompt.md')).toBe('Plan the launch.');
  });

  test('Parallel fan-out and fan-in complete correctly', async () => {
    const dot = pipeline(
      'fan [shape=component]; join [shape=tripleoctagon, prompt=""]',
      'start -> fan; fan -> A -> A2 -> join; fan -> B -> join; join -> after -> exit',
    );
    const scripted: Setup = { script: { A: { delay: '2s' }, B: fail } };
    const { result, directory } = await runOnDisk(dot, scripted);
    expect(result).toMatchObject({
      status: 'success',
      path: ['start', 'fan', 'A', 'B', 'A2', 'join', 'after', 'exit'],
      context: { 'parallel.fan_in.best_id': 'A' },
    });
    expect(jsonOf(directory, 'fan', 'parallel-results.json')).toMatchObject([
      { id: 'A', status: 'success', completed_nodes: ['A', 'A2'] },
      { id: 'B', status: 'fail', failure_reason: 'red' },
    ]);
  });

  test('Custom handler registration and execution works', async () => {
    const { result } = await runOnDisk(pipeline('A [type=mine]', 'start -> A -> exit'), {
      handlers: { mine: ({ node }) => ({ status: 'success', context_updates: { by: node.id } }) },
    });
    expect(result).toMatchObject({ status: 'success', context: { by: 'A' } });
  });

  test('Stylesheet applies model override to nodes by shape', async () => {
    const models: unknown[] = [];
    await runOnDisk(pipeline('model_stylesheet="box { llm_model: big; }"', 'A', 'start -> A -> exit'), {
      backend: {
        run: (node) => {
          models.push(nodeAttribute(node, 'llm_model'));
          return Promise.resolve('ok');
        },
      },
    });
    expect(models).toEqual(['big']);
  });

  test('Pipeline with 10+ nodes completes without errors', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const { result } = await runOnDisk(pipeline(...ids, `start -> ${ids.join(' -> ')} -> exit`));
    expect(result).toMatchObject({ status: 'success', quality: 'clean', path: ['start', ...ids, 'exit'] });
  });
});

describe('11.13 Integration Smoke Test', () => {
  const dot = specExample('smoke-test.dot');

  test('Parse, Validate', () => {
    const { graph, diagnostics } = compile(dot);
    expect(graphAttribute(graph, 'goal')).toBe('Create a hello world Python script');
    expect([graph.nodes.size, graph.edges.length]).toEqual([5, 6]);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test.each<[name: string, setup: Setup, response: string]>([
    ['with a backend', { backend: { run: ({ id }) => Promise.resolve(`done: ${id}`) } }, 'done: plan'],
    ['simulated', { simulate: true }, '[Simulated] Response for stage: plan'],
    ['without a backend', {}, '[Simulated] Response for stage: plan'],
  ])('Execute and verify, %s', async (_name, setup, response) => {
    const { result, directory } = await runOnDisk(dot, setup);
    expect(result).toMatchObject({
      status: 'success',
      completed_nodes: ['start', 'plan', 'implement', 'review'],
      path: ['start', 'plan', 'implement', 'review', 'done'],
    });
    for (const id of ['plan', 'implement', 'review']) {
      for (const name of ['prompt.md', 'response.md', 'status.json']) {
        expect(existsSync(path.join(directory, id, name)), `${id}/${name}`).toBe(true);
      }
    }
    expect(fileOf(directory, 'plan', 'prompt.md')).toBe(
      'Plan how to create a hello world script for: Create a hello world Python script',
    );
    expect(fileOf(directory, 'plan', 'response.md')).toBe(response);
    const checkpoint = jsonOf(directory, 'checkpoint.json');
    expect(checkpoint).toMatchObject({
      current_node: 'done',
      completed_nodes: ['start', 'plan', 'implement', 'review'],
    });
    const gate: Outcome = checkpoint.node_outcomes.implement;
    expect(isSuccessful(gate.status)).toBe(true);
  });

  test('a review that fails sends it back', async () => {
    const { result } = await runOnDisk(dot, { script: { review: [fail, {}] } });
    expect(result.path.join(' ')).toBe('start plan implement review implement review done');
  });
});

test('2.13 Branch: a validation that fails once goes back through implement', async () => {
  const { result, directory } = await runOnDisk(specExample('branch.dot'), {
    script: { validate: [fail, {}] },
  });
  expect(result).toMatchObject({
    status: 'success',
    quality: 'clean',
    visits: { implement: 2, validate: 2, gate: 2 },
  });
  expect(result.path.join(' ')).toBe('start plan implement validate gate implement validate gate exit');
  expect(existsSync(path.join(directory, 'implement', 'visit-1', 'response.md'))).toBe(true);
});

test('2.13 Simple and Stylesheet run to their end', async () => {
  expect(await pathOf(specExample('simple.dot'))).toBe('start run_tests report exit: success');
  expect(await pathOf(specExample('stylesheet.dot'))).toBe(
    'start plan implement critical_review exit: success',
  );
});
