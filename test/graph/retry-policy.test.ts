import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { delayAfterAttempt, retryPolicyOf } from '../../src/graph/retry-policy.js';

function policyOf(node: string, graph: string) {
  const lowered = compile(`digraph G { graph [${graph}] a [${node}] }`).graph;
  const a = lowered.nodes.get('a');
  if (a === undefined) throw new Error('no node');
  return retryPolicyOf(lowered, a, true);
}

describe('24, 25, 29: the policy of a node', () => {
  test.each<[node: string, graph: string, attempts: number, retriesFailure: boolean]>([
    ['', '', 1, false],
    ['max_retries=0', 'default_max_retries=5', 1, false],
    ['max_retries=3', '', 4, true],
    ['max_retries=3', 'default_max_retries=1', 4, true],
    ['max_retries="3"', '', 4, true],
    ['', 'default_max_retries=2', 3, false],
    ['', 'default_max_retry=2', 3, false],
    ['', 'default_max_retry=2, default_max_retries=4', 5, false],
    ['retry_policy=none', 'default_max_retries=2', 1, false],
    ['retry_policy=standard', '', 5, false],
    ['retry_policy=aggressive', '', 5, false],
    ['retry_policy=linear', '', 3, false],
    ['retry_policy=patient', '', 3, false],
    ['retry_policy=patient, max_retries=1', '', 2, true],
    ['', 'retry_policy=linear', 3, false],
    ['', 'retry_policy=linear, default_max_retries=0', 1, false],
    ['retry_policy=nonsense', '', 1, false],
    ['', 'retry_on_fail=always', 1, true],
    ['max_retries=2', 'retry_on_fail=never', 3, false],
    ['max_retries=0', 'retry_on_fail=explicit', 1, false],
  ])('[%s] in graph [%s]: %i attempts, FAIL retried: %j', (node, graph, maxAttempts, retriesFailure) => {
    expect(policyOf(node, graph)).toMatchObject({ maxAttempts, retriesFailure });
  });

  test.each([
    ['', '', 200, 2],
    ['retry_policy=aggressive', 'retry_policy=patient', 500, 2],
    ['', 'retry_policy=patient', 2000, 3],
    ['max_retries=9', 'retry_policy=linear', 500, 1],
  ])('[%s] in graph [%s]: pauses from %i ms, by %i', (node, graph, initialDelayMs, factor) => {
    expect(policyOf(node, graph).backoff).toMatchObject({
      initialDelayMs,
      factor,
      maxDelayMs: 60_000,
      jitter: true,
    });
  });

  test('24: a handler type that never retries a FAIL has the last word', () => {
    const { graph } = compile('digraph G { a [max_retries=3] }');
    const a = graph.nodes.get('a');
    expect(a && retryPolicyOf(graph, a, false)).toMatchObject({ maxAttempts: 4, retriesFailure: false });
  });
});

describe('3.6: the pause after an attempt', () => {
  const backoff = { initialDelayMs: 200, factor: 2, maxDelayMs: 60_000, jitter: true };
  test.each([
    [1, 0.5, 200],
    [2, 0.5, 400],
    [5, 0.5, 3200],
    [9, 0.5, 51_200],
    [10, 0.5, 60_000],
    [2000, 0.5, 60_000],
    [1, 0, 100],
    [1, 0.9999, 300],
    [10, 0, 30_000],
    [10, 0.9999, 89_994],
  ])('%i with chance %f: %i ms', (attempt, random, delay) => {
    expect(delayAfterAttempt(backoff, attempt, random)).toBe(delay);
  });

  test('without jitter is the same every time', () => {
    expect(delayAfterAttempt({ ...backoff, jitter: false }, 3, 0)).toBe(800);
  });
});
