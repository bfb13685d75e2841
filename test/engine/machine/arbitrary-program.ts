import fc from 'fast-check';
import type { Outcome } from '../../../src/engine/machine/outcome.js';
import { pipeline } from '../harness.js';

/*
 * Random pipelines that lint accepts: every node is on a way from start to exit, ids exist, conditions parse. The ways
 * through them are as wild as can be: loops, dead ends, conditions that leave holes, gates, jumps, limits.
 */

const ids = ['n0', 'n1', 'n2', 'n3', 'n4'] as const;
const targets = [...ids, 'exit', 'nobody'] as const;

const conditions = fc.constantFrom(
  'outcome=success',
  'outcome=fail',
  'outcome!=success',
  'preferred_label=Go',
  'context.n > 1',
  'context.n <= 1 && outcome=success',
);

const edgeAttributes = fc.record(
  {
    condition: conditions,
    label: fc.constantFrom('Go', '[G] go', 'Stop'),
    weight: fc.integer({ min: -2, max: 2 }),
  },
  { requiredKeys: [] },
);

const nodeAttributes = fc.record(
  {
    shape: fc.constantFrom('box', 'box', 'diamond', 'parallelogram', 'hexagon'),
    max_retries: fc.integer({ min: 0, max: 2 }),
    retry_policy: fc.constantFrom('none', 'linear', 'patient'),
    goal_gate: fc.boolean(),
    allow_partial: fc.boolean(),
    max_visits: fc.integer({ min: 1, max: 4 }),
    on_failure: fc.constantFrom('stop', 'continue'),
    retry_target: fc.constantFrom(...targets),
    fallback_retry_target: fc.constantFrom(...targets),
  },
  { requiredKeys: [] },
);

const graphAttributes = fc.record(
  {
    on_failure: fc.constantFrom('stop', 'continue'),
    default_max_retries: fc.integer({ min: 0, max: 2 }),
    retry_on_fail: fc.constantFrom('explicit', 'always', 'never'),
    retry_target: fc.constantFrom(...targets),
    require_goal_gates: fc.boolean(),
    max_goal_gate_redirects: fc.integer({ min: 0, max: 3 }),
  },
  { requiredKeys: [] },
);

/** Most of the way is open, so that many runs get far. */
const chainAttributes = fc.oneof(
  { arbitrary: fc.constant({}), weight: 3 },
  { arbitrary: edgeAttributes, weight: 1 },
);

const edge = fc.record({
  from: fc.constantFrom(...ids),
  to: fc.constantFrom(...ids, 'exit' as const),
  attributes: edgeAttributes,
});

/** The text of a pipeline. */
export const pipelines: fc.Arbitrary<string> = fc
  .record({
    graph: graphAttributes,
    nodes: fc.tuple(...ids.map(() => nodeAttributes)),
    chain: fc.tuple(...ids.map(() => chainAttributes)),
    edges: fc.array(edge, { maxLength: 8 }),
    maxSteps: fc.integer({ min: 5, max: 40 }),
  })
  .map(({ graph, nodes, chain, edges, maxSteps }) =>
    pipeline(
      `graph [${written({ ...graph, max_steps: maxSteps })}]`,
      ...ids.map((id, index) => `${id} [${written(nodes[index])}]`),
      'start -> n0',
      // A chain through all nodes, so that lint finds each of them reachable.
      ...ids.map((id, index) => `${id} -> ${ids[index + 1] ?? 'exit'} [${written(chain[index])}]`),
      ...edges.map(({ from, to, attributes }) => `${from} -> ${to} [${written(attributes)}]`),
    ),
  );

function written(attributes: object | undefined): string {
  return Object.entries(attributes ?? {})
    .map(([name, value]) => `${name}=${JSON.stringify(String(value))}`)
    .join(', ');
}

const outcome: fc.Arbitrary<Outcome> = fc.record(
  {
    status: fc.constantFrom('success', 'success', 'success', 'partial_success', 'fail', 'retry', 'skipped'),
    preferred_label: fc.constantFrom('Go', 'stop', 'Nowhere'),
    suggested_next_ids: fc.array(fc.constantFrom(...targets), { maxLength: 2 }),
    context_updates: fc.record({ n: fc.integer({ min: 0, max: 3 }) }),
    failure_reason: fc.constantFrom('red', ''),
    retryable: fc.boolean(),
  },
  { requiredKeys: ['status'] },
);

/** What happens to the stages, one outcome an attempt; they repeat. */
export const outcomeSequences: fc.Arbitrary<readonly Outcome[]> = fc.array(outcome, {
  minLength: 1,
  maxLength: 12,
});
