import type { JsonValue } from '../../src/graph/json.js';
import { fc } from '../support/fast-check.js';

/** Keys that `writes` declare, with their types and all the values that a stage may give them. */
export const declared = {
  verdict: { type: 'pass|fail', values: ['pass', 'fail'] },
  n: { type: 'integer', values: [0, 3, -1, 12] },
  ratio: { type: 'number', values: [0.5, 3, 1e21] },
  ready: { type: 'boolean', values: [true, false] },
  files: { type: 'list', values: [[], ['a', 'b'], [3]] },
  by: { type: 'map', values: [{}, { x: 1 }] },
  note: { type: 'string', values: ['', 'pass', '3', '[]'] },
} as const satisfies Record<string, { readonly type: string; readonly values: readonly JsonValue[] }>;
export type Declared = keyof typeof declared;
export const declaredKeys = Object.keys(declared) as readonly Declared[];
/** Keys that are assigned as well, which a stage that declares nothing may set as well. */
export const assigned = ['phase', 'seen'] as const;

export const ids = ['n0', 'n1', 'n2', 'n3'] as const;
export const paths = [
  ...declaredKeys.map((key) => `context.${key}`),
  ...assigned.map((key) => `context.${key}`),
  'inputs.limit',
  'inputs.mode',
  'inputs.list',
  'inputs.token',
  'result.success',
  'stages.n1.visits',
  'stages.n1.success',
  'internal.restart_count',
  'parallel.items',
  'parallel.count',
  'context.item',
  'context.item.x',
  'context.by.x',
  'context.n.x',
  'context.phase.a',
] as const;
const literals = ['pass', 'fail', 'maybe', '3', '3.0', '0.5', 'true', '"[]"', '""', 'low', 'draft', '12'];

const path = fc.constantFrom(...paths);
const literal = fc.constantFrom(...literals);
const clause = fc.oneof(
  fc.tuple(path, fc.constantFrom('=', '!=', '<', '>='), literal).map((parts) => parts.join(' ')),
  fc
    .tuple(path, fc.constantFrom('in', 'not in'), fc.array(literal, { minLength: 1, maxLength: 3 }))
    .map(([key, sign, items]) => `${key} ${sign} [${items.join(', ')}]`),
  fc
    .tuple(path, fc.constantFrom('contains', 'matches'), fc.constantFrom('"a"', '"pas"', '"3"'))
    .map((p) => p.join(' ')),
  path,
);
const condition = fc.oneof(
  clause,
  fc.constantFrom('outcome=success', 'outcome=fail', 'outcome!=fail'),
  fc.tuple(fc.constantFrom('outcome=success', 'outcome=fail'), clause).map((parts) => parts.join(' && ')),
  fc.tuple(clause, clause).map((parts) => parts.join(' || ')),
);

const assignment = fc.tuple(
  fc.constantFrom('phase', 'phase', 'phase', 'seen', 'verdict', 'verdict', 'n', 'files', 'note'),
  fc.constantFrom(
    '"draft"',
    '"pass"',
    '"3"',
    '3',
    'true',
    '"{\\"a\\": 1}"',
    '"[1]"',
    '"${context.verdict}"',
    '"${inputs.limit}"',
    '"${inputs.list}"',
    '"${context.phase}"',
    '"${context.ratio}"',
    '"${context.by.x}"',
    '"${context.item}"',
    '"x ${context.n}"',
  ),
);

interface DrawnEdge {
  readonly to: string;
  readonly condition: string | undefined;
  readonly more: string;
}
const straight: DrawnEdge = { to: 'n3', condition: undefined, more: '' };

const stage = fc.record({
  shape: fc.constantFrom('box', 'parallelogram', 'diamond'),
  writes: fc.option(fc.subarray([...declaredKeys], { minLength: 1, maxLength: 3 }), { nil: undefined }),
  optional: fc.boolean(),
  reads: fc.boolean(),
  assignment: fc.option(assignment, { nil: undefined }),
  more: fc.constantFrom(
    '',
    '',
    'on_failure=continue',
    'allow_partial=true',
    'fail_when="context.n > 2"',
    'retry_target=n0',
  ),
  edges: fc.oneof<fc.Arbitrary<readonly DrawnEdge[]>[]>(
    // Straight to where branches mostly meet, so that runs often come there.
    fc.constant([straight]),
    fc.array(
      fc.record({
        to: fc.constantFrom(...ids, ...ids, ...ids, 'exit', 'exit', 'fork', 'inner'),
        condition: fc.option(condition, { nil: undefined }),
        more: fc.constantFrom(
          '',
          '',
          '',
          '',
          '',
          '',
          'weight=2',
          'weight=2',
          'weight=2',
          'loop_restart=true',
        ),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  ),
});
type Stage = typeof stage extends fc.Arbitrary<infer Value> ? Value : never;

function writtenStage(id: string, one: Stage): string {
  const list = one.shape === 'diamond' ? undefined : one.writes;
  const attributes = [
    `shape=${one.shape}`,
    one.shape === 'parallelogram' ? 'tool_command="true"' : 'prompt="x"',
    list && list.length > 0
      ? `writes="${list.map((key) => `${key}: ${declared[key].type}${one.optional ? '?' : ''}`).join(', ')}"`
      : '',
    list && list.length > 0 && one.reads ? `reads="${list[0]}"` : '',
    one.assignment === undefined ? '' : `"assign.${one.assignment[0]}"=${one.assignment[1]}`,
    one.more,
  ];
  return `${id} [${attributes.filter((text) => text !== '').join(', ')}]`;
}

/** Parallel node: branches by edges or by the items of a list, how they join, and what leaves them. */
const fork = fc.record({
  entries: fc.subarray([...ids], { minLength: 1, maxLength: 3 }),
  foreach: fc.constantFrom(undefined, undefined, '${inputs.list}', '${context.files}'),
  join: fc.constantFrom('n2', 'n3', 'n3'),
  conflict: fc.constantFrom('', 'last_wins', 'last_wins', 'first_wins', 'first_wins', 'error'),
  policy: fc.constantFrom(
    '',
    'join_policy=quorum, join_quorum=1',
    'join_policy=quorum, join_quorum=1',
    'join_policy=k_of_n, join_k=all',
    'join_policy=k_of_n, join_k=1',
    'join_policy=first_success',
    'error_policy=fail_fast',
    'error_policy=ignore',
  ),
  more: fc.constantFrom('', '', 'retry_target=n0', 'max_retries=1'),
});
type Fork = typeof fork extends fc.Arbitrary<infer Value> ? Value : never;

function writtenFork(id: string, as: string, one: Fork): readonly string[] {
  const { entries, foreach, join, conflict, policy, more } = one;
  const branches = foreach === undefined ? entries : entries.slice(0, 1);
  const attributes = [
    'shape=component',
    `join=${join}`,
    foreach === undefined ? '' : `foreach="${foreach}", as=${as}`,
    conflict === '' ? '' : `on_conflict=${conflict}`,
    policy.replace('=all', `=${branches.length}`),
    more,
  ];
  return [
    `${id} [${attributes.filter((text) => text !== '').join(', ')}]`,
    ...branches.map((entry) => `${id} -> ${entry}`),
  ];
}

const beginnings = ['start -> fork', 'start -> n0; n0 -> fork [weight=3]', 'start -> n0'] as const;

export const pipelines = fc
  .record({
    stages: fc.array(stage, { minLength: ids.length, maxLength: ids.length }),
    first: fc.constantFrom(...beginnings),
    fork,
    inner: fork,
    given: fc.constantFrom('', '', ', note: string?', ', n: integer = 12'),
  })
  .map(({ stages, first, fork: outer, inner, given }) => {
    const edges = stages.flatMap(({ edges: own }, index) => [
      ...own.map(({ to, condition: text, more }) => {
        const attributes = [text === undefined ? '' : `condition="${text.replaceAll('"', '\\"')}"`, more];
        return `${ids[index]} -> ${to} [${attributes.filter((part) => part !== '').join(', ')}]`;
      }),
      `${ids[index]} -> ${ids[index + 1] ?? 'exit'} [condition="context.never=1"]`,
    ]);
    return [
      'digraph G {',
      `graph [max_steps=14, inputs="limit: integer = 3, mode: low|high = low, list: list = [], token: string?${given}"]`,
      'start [shape=Mdiamond, "assign.phase"="draft"]',
      'exit [shape=Msquare]',
      ...stages.map((one, index) => writtenStage(ids[index] ?? '', one)),
      first,
      ...writtenFork('fork', 'item', outer),
      ...writtenFork('inner', 'part', inner),
      'n1 -> inner [condition="context.n=3"]; n0 -> fork [condition="context.n=12"]',
      ...edges,
      '}',
    ].join('\n');
  });

/** Lists that become branches. */
export const lists = fc.constantFrom<JsonValue>([], ['a'], ['a', { x: 1 }, 3]);

const updates = fc.record(
  Object.fromEntries(declaredKeys.map((key) => [key, fc.constantFrom<JsonValue>(...declared[key].values)])),
  { requiredKeys: [] },
) as fc.Arbitrary<Partial<Record<string, JsonValue>>>;

export const entry = fc.record({
  outcome: fc.constantFrom('success', 'success', 'success', 'fail', 'partial_success', 'skipped', 'retry'),
  all: fc.boolean(),
  updates,
  free: fc.record(
    { phase: fc.constantFrom<JsonValue>('final', 7, null), seen: fc.constantFrom<JsonValue>('maybe', []) },
    { requiredKeys: [] },
  ),
});
export type Entry = typeof entry extends fc.Arbitrary<infer Value> ? Value : never;
