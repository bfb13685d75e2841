import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compile.js';
import { isSuccessful, type Outcome } from '../../src/engine/machine/outcome.js';
import { graphAttribute, nodeAttribute } from '../../src/graph/attributes.js';
import { fileOf, fork, jsonOf, pipeline, runPipeline, type Setup, specExample } from './harness.js';

/*
 * The rows of the specification's §11.12 that are not tested under their own words elsewhere, its smoke test (§11.13),
 * and its examples (§2.13).
 */

const fail = { outcome: 'fail', failure_reason: 'red' };
const linear = pipeline('A', 'B', 'C', 'start -> A -> B -> C -> exit');

async function pathOf(dot: string, setup: Setup = {}): Promise<string> {
  const { result } = await runPipeline(dot, setup);
  return `${result.path.join(' ')}: ${result.status}`;
}

describe('11.12 Cross-Feature Parity Matrix', () => {
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

  test('Edge selection: condition match wins over weight', async () => {
    expect(await pathOf(fork('condition="outcome=success"', 'weight=100'))).toContain('a b');
  });

  test('Edge selection: weight breaks ties for unconditional edges', async () => {
    expect(await pathOf(fork('weight=1', 'weight=2'))).toContain('a c');
  });

  test('Edge selection: lexical tiebreak as final fallback', async () => {
    expect(await pathOf(fork('', ''))).toContain('a b');
  });

  test('Stylesheet applies model override to nodes by shape', async () => {
    const models: unknown[] = [];
    await runPipeline(pipeline('model_stylesheet="box { llm_model: big; }"', 'A', 'start -> A -> exit'), {
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
    const { result } = await runPipeline(pipeline(...ids, `start -> ${ids.join(' -> ')} -> exit`));
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
    const { result, directory } = await runPipeline(dot, setup);
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
    const { result } = await runPipeline(dot, { script: { review: [fail, {}] } });
    expect(result.path.join(' ')).toBe('start plan implement review implement review done');
  });
});

test('2.13 Branch: a validation that fails once goes back through implement', async () => {
  const { result, directory } = await runPipeline(specExample('branch.dot'), {
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
