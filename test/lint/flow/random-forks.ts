import { fc } from '../../support/fast-check.js';
import { type Clause, words } from './random-pipelines.js';

// Pipelines with branches, fan-ins, lists, restarts and declared values, as texts: only the machine itself says what they do.

const ids = ['n0', 'n1', 'n2'] as const;

const sign = fc.constantFrom('=', '=', '=', '!=') as fc.Arbitrary<'=' | '!='>;
const condition = fc.oneof(
  {
    arbitrary: fc
      .tuple(sign, fc.constantFrom('success', 'fail', 'fail', 'partial_success'))
      .map(([how, value]): Clause => ({ key: 'outcome', sign: how, value })),
    weight: 4,
  },
  {
    arbitrary: fc
      .tuple(sign, fc.constantFrom(...words))
      .map(([how, value]): Clause => ({ key: 'context.k', sign: how, value })),
    weight: 2,
  },
);

const rarely = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 4 }, { arbitrary: value, weight: 1 });

const places = [...ids, 'fork', 'a', 'b', 'join', 'after', 'exit', 'exit'] as const;

const edge = fc.record({
  to: fc.constantFrom(...places),
  condition: fc.option(condition, { nil: undefined, freq: 2 }),
  weight: fc.constantFrom(0, 0, 0, 1),
  isRestart: fc.constantFrom(...Array.from({ length: 11 }, () => false), true),
});

const stage = fc.record({
  shape: fc.constantFrom('box', 'box', 'parallelogram', 'diamond'),
  isGate: fc.constantFrom(false, false, false, false, true),
  retryTarget: rarely(fc.constantFrom(...places)),
  maxVisits: rarely(fc.integer({ min: 1, max: 2 })),
  continues: fc.constantFrom(false, false, false, true),
  assigns: rarely(fc.constantFrom(...words)),
  writes: rarely(fc.constantFrom('k', 'k: red|blue', 'k?: red|blue')),
  reads: fc.constantFrom(false, false, true),
  fails: rarely(condition),
  edges: fc.array(edge, { minLength: 0, maxLength: 2 }),
});

type Stage = typeof stage extends fc.Arbitrary<infer Value> ? Value : never;
type EdgeModel = typeof edge extends fc.Arbitrary<infer Value> ? Value : never;

const fork = fc.record({
  policy: fc.constantFrom(
    '',
    '',
    'join_policy=k_of_n, join_k=1',
    'join_policy=k_of_n, join_k=2',
    'join_policy=quorum, join_quorum=1',
    'join_policy=first_success',
  ),
  errors: fc.constantFrom('', '', '', 'error_policy=ignore', 'error_policy=fail_fast'),
  merge: fc.constantFrom('', '', 'on_conflict=last_wins', 'on_conflict=error'),
  list: fc.constantFrom(false, false, false, true),
  joinShape: fc.constantFrom('tripleoctagon', 'tripleoctagon', 'box', 'diamond'),
  straight: fc.constantFrom(false, false, true),
  retryTarget: rarely(fc.constantFrom(...places)),
  continues: fc.constantFrom(false, false, true),
});

/** Texts of such pipelines. */
export const forkTexts: fc.Arbitrary<string> = fc
  .record({
    n0: stage,
    n1: stage,
    n2: stage,
    a: stage,
    b: stage,
    after: stage,
    fork,
    join: fc.array(edge, { minLength: 0, maxLength: 2 }),
    retryTarget: rarely(fc.constantFrom(...places)),
    requiresGates: fc.constantFrom(false, false, false, true),
  })
  .map(({ fork: parallel, join, retryTarget, requiresGates, ...stages }) => {
    const graph = [
      retryTarget === undefined ? '' : `retry_target=${retryTarget}`,
      requiresGates ? 'require_goal_gates=true' : '',
    ];
    const shape = parallel.joinShape;
    const forkParts = [
      'shape=component',
      parallel.policy,
      parallel.errors,
      parallel.merge,
      parallel.list ? 'foreach="${list}"' : '',
      parallel.retryTarget === undefined ? '' : `retry_target=${parallel.retryTarget}`,
      parallel.continues ? 'on_failure=continue' : '',
    ];
    const branches = parallel.list ? ['a'] : parallel.straight ? ['a', 'join'] : ['a', 'b'];
    return [
      'digraph G {',
      `graph [${joined(graph)}]`,
      'start [shape=Mdiamond]',
      'exit [shape=Msquare]',
      `fork [${joined(forkParts)}]`,
      `join [shape=${shape}${shape === 'box' ? ', prompt="Join"' : ''}]`,
      ...Object.entries(stages).map(([id, one]) => stageText(id, one)),
      'start -> n0',
      ...edgesText('n0', stages.n0.edges, 'n1'),
      ...edgesText('n1', stages.n1.edges, 'fork'),
      ...branches.map((to) => `fork -> ${to}`),
      ...edgesText('a', stages.a.edges, 'join'),
      ...edgesText('b', stages.b.edges, 'join'),
      ...edgesText('join', join, 'after'),
      ...edgesText('after', stages.after.edges, 'n2'),
      ...edgesText('n2', stages.n2.edges, 'exit'),
      '}',
    ].join('\n');
  });

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}

function stageText(id: string, one: Stage): string {
  const isStage = one.shape !== 'diamond';
  const parts = [
    `shape=${one.shape}`,
    one.shape === 'box' ? `prompt="Work${one.reads ? ' on ${context.k}' : ''}"` : '',
    one.shape === 'parallelogram' ? 'tool_command="./check"' : '',
    isStage && one.isGate ? 'goal_gate=true' : '',
    one.retryTarget === undefined ? '' : `retry_target=${one.retryTarget}`,
    one.maxVisits === undefined ? '' : `max_visits=${one.maxVisits}`,
    isStage && one.continues ? 'on_failure=continue' : '',
    one.assigns === undefined ? '' : `"assign.k"="${one.assigns}"`,
    one.shape === 'box' && one.writes !== undefined && one.assigns === undefined
      ? `writes="${one.writes}"`
      : '',
    one.fails === undefined ? '' : `fail_when="${one.fails.key}${one.fails.sign}${one.fails.value}"`,
  ];
  return `${id} [${joined(parts)}]`;
}

/** Edges of a node: the next one comes first, and no two lead to the same node. */
function edgesText(from: string, edges: readonly EdgeModel[], next: string): readonly string[] {
  const all = edges.some(({ to }) => to === next) ? edges : [...edges, plainTo(next)];
  const different = all.filter(({ to }, index) => all.findIndex((other) => other.to === to) === index);
  return different.map(({ to, condition: clause, weight, isRestart }) => {
    const parts = [
      clause === undefined ? '' : `condition="${clause.key}${clause.sign}${clause.value}"`,
      weight === 0 ? '' : `weight=${weight}`,
      isRestart ? 'loop_restart=true' : '',
    ];
    return `${from} -> ${to} [${joined(parts)}]`;
  });
}

function plainTo(to: string): EdgeModel {
  return { to: to as EdgeModel['to'], condition: undefined, weight: 0, isRestart: false };
}

const branchEdge = fc.record({
  to: fc.constantFrom('fork', 'c', 'join', 'exit'),
  condition: fc.constantFrom('', '', 'outcome=fail', 'outcome=success'),
});
const branchStage = fc.record({
  shape: fc.constantFrom('box', 'parallelogram', 'diamond'),
  retryTarget: rarely(fc.constantFrom('fork', 'before', 'c', 'a')),
  edges: fc.array(branchEdge, { maxLength: 2 }),
});

/** Texts of small pipelines around one parallel node, so small that all of their states can be counted. */
export const branchTexts: fc.Arbitrary<string> = fc
  .record({
    a: branchStage,
    b: branchStage,
    c: branchStage,
    policy: fc.constantFrom('', '', '', 'join_policy=quorum, join_quorum=1', 'join_policy=k_of_n, join_k=1'),
    errors: fc.constantFrom('', '', '', 'error_policy=ignore', 'error_policy=fail_fast'),
    merge: fc.constantFrom('', '', '', 'on_conflict=error'),
    joinShape: fc.constantFrom('tripleoctagon', 'box', 'diamond', 'parallelogram'),
    joinEdge: fc.constantFrom('', '', 'outcome!=success', 'context.parallel.fail_count=0'),
    before: fc.constantFrom('box', 'diamond'),
  })
  .map(({ policy, errors, merge, joinShape, joinEdge, before, ...stages }) =>
    [
      'digraph G {',
      'start [shape=Mdiamond]',
      'exit [shape=Msquare]',
      `before [${shaped(before)}]`,
      `fork [${joined(['shape=component', policy, errors, merge])}]`,
      `join [${shaped(joinShape)}]`,
      'after [shape=box, prompt="Publish"]',
      ...Object.entries(stages).map(([id, { shape, retryTarget }]) => {
        const target = retryTarget === undefined ? '' : `retry_target=${retryTarget}`;
        return `${id} [${joined([shaped(shape), target])}]`;
      }),
      'start -> before -> fork',
      'fork -> a',
      'fork -> b',
      ...Object.entries(stages).flatMap(([id, { edges }]) => {
        const all = edges.some(({ condition }) => condition === '')
          ? edges
          : [...edges, { to: 'join', condition: '' }];
        const different = all.filter(({ to }, index) => all.findIndex((other) => other.to === to) === index);
        return different.map(({ to, condition }) => edgeText(id, to, condition));
      }),
      ...(joinEdge === '' ? [] : [edgeText('join', 'exit', joinEdge)]),
      'join -> after -> exit',
      '}',
    ].join('\n'),
  );

function shaped(shape: string): string {
  if (shape === 'box') return 'shape=box, prompt="Work"';
  return shape === 'parallelogram' ? 'shape=parallelogram, tool_command="./check"' : `shape=${shape}`;
}

function edgeText(from: string, to: string, condition: string): string {
  return `${from} -> ${to}${condition === '' ? '' : ` [condition="${condition}"]`}`;
}
