import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { graphAttribute, nodeAttribute } from '../../src/graph/attributes.js';
import { isSuccessful, type Outcome } from '../../src/machine/outcome.js';
import {
  eventsOf,
  fileOf,
  jsonOf,
  pipeline,
  resumePipeline,
  runOnDisk,
  runPipeline,
  type Setup,
  specExample,
} from './harness.js';

const fail = { outcome: 'fail', failure_reason: 'red' };
const linear = pipeline('A', 'B', 'C', 'start -> A -> B -> C -> exit');

async function pathOf(dot: string, setup: Setup = {}): Promise<string> {
  const { result } = await runPipeline(dot, setup);
  return `${result.path.join(' ')}: ${result.status}`;
}

describe('11.3, 11.12: a pipeline from its start to its exit', () => {
  test('a line of three nodes ends at the exit', async () => {
    expect(await pathOf(linear)).toBe('start A B C exit: success');
  });

  test('each node is executed, then an edge is selected, then comes the next node', async () => {
    const { events } = await runPipeline(linear);
    const turns = events.filter(({ type }) => /^(StageStarted|StageCompleted|EdgeSelected)$/.test(type));
    expect(
      turns.map((event) =>
        event.type === 'EdgeSelected' ? event.to : 'node_id' in event ? event.node_id : '',
      ),
    ).toEqual([...['start', 'start', 'A', 'A', 'A', 'B', 'B', 'B', 'C', 'C', 'C', 'exit', 'exit', 'exit']]);
  });

  test('forty nodes complete without errors', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const { result } = await runOnDisk(pipeline(...ids, `start -> ${ids.join(' -> ')} -> exit`));
    expect(result).toMatchObject({ status: 'success', quality: 'clean', path: ['start', ...ids, 'exit'] });
  });

  test('a stylesheet gives the nodes of a shape their model', async () => {
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

  test('one that is resumed from its checkpoint has the same result', async () => {
    const script = { A: { context_updates: { x: 1 } }, B: { preferred_label: 'Go' }, C: { notes: 'done' } };
    const whole = await runOnDisk(linear, { script });
    const cut = await runOnDisk(linear, { script, maxSteps: 2 });
    expect(cut.result).toMatchObject({ status: 'fail', path: ['start', 'A', 'B'] });
    const { result } = await resumePipeline(cut.directory, { maxSteps: 1000 });
    const { run_id: _run, run_dir: _directory, ...expected } = whole.result;
    expect(result).toMatchObject(expected);
  });

  test('one that is resumed executes what comes after the current node of its checkpoint', async () => {
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
