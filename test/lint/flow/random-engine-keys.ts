import type { Inputs } from '../../../src/graph/values/declared-inputs.js';
import { fc } from '../../support/fast-check.js';

// Pipelines whose conditions read inputs, what stages said by their names, restarts, failures and `result.`, with attempts that
// `retry_when` asks for: the machine itself says what they do.

const ids = ['n0', 'n1', 'n2'] as const;

const conditions = [
  'outcome=fail',
  'outcome=fail',
  'outcome!=success',
  'outcome=partial_success',
  'context.k=red',
  'context.k!=blue',
  'context.m=blue',
  'inputs.mode=fast',
  'inputs.mode!=deep',
  'inputs.mode in [slow, deep]',
  'inputs.debug',
  '!inputs.debug',
  'inputs.depth > 2',
  'inputs.depth=1 || outcome=fail',
  'context.mode=slow',
  'inputs.depth < stages.n0.visits',
  'context.k in [inputs.mode]',
  'result.outcome=fail',
  'result.success',
  'result.preferred_label=Go',
  'preferred_label',
  'stages.n0.outcome=fail',
  'stages.n1.outcome=partial_success',
  'stages.n0.success',
  'stages.n1.preferred_label=Go',
  'stages.n0.visits > 1',
  'stages.n1.visits = 2',
  'stages.n2.visits = 0',
  'stages.n0.failure_reason contains because',
  'internal.restart_count = 1',
  'internal.restart_count < 1',
  'internal.last_failure.node=n0',
  'exists internal.last_failure.node',
  'result.node=n0',
  'result.node!=n1',
  'result.node=start',
  'internal.retry_count.n0=1',
  'internal.retry_count.n0 > 0',
  'internal.retry_count.n1 < 1',
] as const;

const condition = fc
  .tuple(fc.constantFrom(...conditions), fc.constantFrom(...conditions), fc.integer({ min: 0, max: 4 }))
  .map(([one, other, how]) => (how === 0 ? `(${one}) && (${other})` : one));

const rarely = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 4 }, { arbitrary: value, weight: 1 });

const edge = fc.record({
  to: fc.constantFrom(...ids, 'exit', 'exit'),
  condition: fc.option(condition, { nil: undefined, freq: 3 }),
  isRestart: fc.constantFrom(...Array.from({ length: 9 }, () => false), true),
});

const stage = fc.record({
  shape: fc.constantFrom('box', 'box', 'parallelogram', 'diamond'),
  retryTarget: rarely(fc.constantFrom(...ids)),
  maxVisits: rarely(fc.integer({ min: 1, max: 2 })),
  assigns: rarely(
    fc.constantFrom('"assign.k"="red"', '"assign.k"="${inputs.mode}"', '"assign.m"="${context.k}"'),
  ),
  writes: rarely(fc.constantFrom('k: red|blue', 'k')),
  fails: rarely(condition),
  retries: rarely(fc.tuple(condition, fc.boolean(), fc.boolean())),
  more: rarely(fc.constantFrom('max_retries=1', 'max_retries=2', 'max_retries=1, retry_on_fail=never')),
  edges: fc.array(edge, { minLength: 0, maxLength: 2 }),
});

type Stage = typeof stage extends fc.Arbitrary<infer Value> ? Value : never;

const declared = 'inputs="mode: fast|slow|deep = slow, debug: boolean, depth: integer = 1"';

/** Texts of such pipelines, and all inputs with which they may begin. */
export const engineTexts: fc.Arbitrary<{ readonly text: string; readonly inputs: readonly Inputs[] }> = fc
  .record({ n0: stage, n1: stage, n2: stage, isDeclared: fc.constantFrom(true, true, false) })
  .map(({ isDeclared, ...stages }) => ({
    inputs: isDeclared ? declaredInputs : freeInputs,
    text: [
      'digraph G {',
      isDeclared ? `graph [${declared}]` : '',
      'start [shape=Mdiamond]',
      'exit [shape=Msquare]',
      ...Object.entries(stages).map(([id, one]) => stageText(id, one)),
      'start -> n0',
      ...edgesText('n0', stages.n0, 'n1'),
      ...edgesText('n1', stages.n1, 'n2'),
      ...edgesText('n2', stages.n2, 'exit'),
      '}',
    ].join('\n'),
  }));

const modes = ['slow', 'fast', 'deep'];

const declaredInputs: readonly Inputs[] = modes.flatMap((mode) =>
  [true, false].flatMap((debug) => [1, 2, 3].map((depth) => ({ mode, debug, depth }))),
);

/** Of a pipeline that declares none, any may be given, and none of them must. */
const freeInputs: readonly Inputs[] = [
  {},
  ...['', ...modes, 'red', 'blue', 'other'].map((mode) => ({ mode })),
].flatMap((one) =>
  [one, { ...one, debug: 'yes' }].flatMap((two) => [two, { ...two, depth: 1 }, { ...two, depth: 3 }]),
);

function stageText(id: string, one: Stage): string {
  const isStage = one.shape !== 'diamond';
  const [retryWhen, isPartial, isAlways] = one.retries ?? ['', false, false];
  const parts = [
    `shape=${one.shape}`,
    one.shape === 'box' ? 'prompt="Work"' : '',
    one.shape === 'parallelogram' ? 'tool_command="./check"' : '',
    // A stage that fails finally, for the same reason again, ends the run (SEMANTICS 127).
    one.retryTarget === undefined || one.retries !== undefined ? '' : `retry_target=${one.retryTarget}`,
    one.maxVisits === undefined ? '' : `max_visits=${one.maxVisits}`,
    one.assigns ?? '',
    one.shape === 'box' && one.writes !== undefined && one.assigns === undefined
      ? `writes="${one.writes}"`
      : '',
    one.fails === undefined || one.retries !== undefined ? '' : `fail_when="${one.fails}"`,
    isStage && retryWhen !== '' ? `max_retries=1, retry_when="${retryWhen}"` : '',
    isStage && retryWhen === '' && one.retryTarget === undefined ? (one.more ?? '') : '',
    isStage && isPartial ? 'allow_partial=true' : '',
    isStage && isAlways ? 'retry_on_fail=always' : '',
  ];
  return `${id} [${parts.filter((part) => part !== '').join(', ')}]`;
}

interface EdgeModel {
  readonly to: string;
  readonly condition: string | undefined;
  readonly isRestart: boolean;
}

/** Edges of a node: the next one comes first, and no two lead to the same node. */
function edgesText(
  from: string,
  { edges }: { readonly edges: readonly EdgeModel[] },
  next: string,
): readonly string[] {
  const plain = { to: next, condition: undefined, isRestart: false };
  const all = edges.some(({ to }) => to === next) ? edges : [...edges, plain];
  const different = all.filter(({ to }, index) => all.findIndex((other) => other.to === to) === index);
  return different.map(({ to, condition: clause, isRestart }) => {
    const parts = [clause === undefined ? '' : `condition="${clause}"`, isRestart ? 'loop_restart=true' : ''];
    return `${from} -> ${to} [${parts.filter((part) => part !== '').join(', ')}]`;
  });
}

const inForks = [
  'outcome=fail',
  'outcome=fail',
  'outcome=success',
  'outcome=partial_success',
  'stages.a.outcome=fail',
  'stages.a.outcome=success',
  'stages.a.success',
  'stages.a.preferred_label=Go',
  'stages.a.visits > 1',
  'stages.a.visits = 0',
  'stages.b.outcome=fail',
  'stages.b.success',
  'stages.b.visits = 1',
  'stages.c.outcome=fail',
  'stages.c.visits > 1',
  'stages.c.visits = 1',
  'stages.n0.success',
  'stages.n0.visits > 1',
  'stages.fork.outcome=partial_success',
  'stages.join.visits = 2',
  'result.node=a',
  'result.node=fork',
  'result.node!=n0',
  'internal.retry_count.a > 0',
  'internal.retry_count.n0=1',
] as const;

const forkCondition = fc
  .tuple(fc.constantFrom(...inForks), fc.constantFrom(...inForks), fc.integer({ min: 0, max: 5 }))
  .map(([one, other, how]) => (how === 0 ? `(${one}) && (${other})` : one));

const forkStage = fc.record({
  shape: fc.constantFrom('box', 'box', 'parallelogram', 'diamond'),
  retryTarget: rarely(fc.constantFrom('a', 'b', 'c', 'n0')),
  maxVisits: rarely(fc.integer({ min: 1, max: 2 })),
  fails: rarely(forkCondition),
  more: rarely(fc.constantFrom('max_retries=1', 'max_retries=2')),
  edges: fc.array(
    fc.record({
      to: fc.constantFrom('a', 'b', 'c', 'c', 'n0', 'n1', 'join', 'exit'),
      condition: fc.option(forkCondition, { nil: undefined, freq: 5 }),
      isRestart: fc.constant(false),
    }),
    { minLength: 0, maxLength: 2 },
  ),
});

/** Texts of pipelines with branches, what of their stages is read by their names inside of them and after they have met. */
export const engineForkTexts: fc.Arbitrary<{ readonly text: string; readonly inputs: readonly Inputs[] }> = fc
  .record({
    n0: forkStage,
    a: forkStage,
    b: forkStage,
    c: forkStage,
    join: forkStage,
    n1: forkStage,
    joins: fc.constantFrom(true, false, false),
    policy: fc.constantFrom(
      '',
      '',
      '',
      'join_policy=k_of_n, join_k=1',
      'join_policy=quorum, join_quorum=1',
      'error_policy=ignore',
    ),
  })
  .map(({ joins, policy, ...stages }) => ({
    inputs: [{}],
    text: [
      'digraph G {',
      'start [shape=Mdiamond]',
      'exit [shape=Msquare]',
      `fork [shape=component${policy === '' ? '' : `, ${policy}`}]`,
      ...Object.entries(stages).flatMap(([id, one]) =>
        id === 'join' && joins ? [] : [forkStageText(id, one)],
      ),
      ...(joins ? ['join [shape=tripleoctagon]'] : []),
      'start -> n0',
      ...edgesText('n0', stages.n0, 'fork'),
      'fork -> a',
      'fork -> b',
      ...edgesText('a', stages.a, 'join'),
      ...edgesText('b', stages.b, 'join'),
      ...edgesText('c', stages.c, 'join'),
      ...edgesText('join', stages.join, 'n1'),
      ...edgesText('n1', stages.n1, 'exit'),
      '}',
    ].join('\n'),
  }));

function forkStageText(
  id: string,
  one: typeof forkStage extends fc.Arbitrary<infer Value> ? Value : never,
): string {
  const parts = [
    `shape=${one.shape}`,
    one.shape === 'box' ? 'prompt="Work"' : '',
    one.shape === 'parallelogram' ? 'tool_command="./check"' : '',
    one.retryTarget === undefined ? '' : `retry_target=${one.retryTarget}`,
    one.maxVisits === undefined ? '' : `max_visits=${one.maxVisits}`,
    one.fails === undefined ? '' : `fail_when="${one.fails}"`,
    one.shape !== 'diamond' && one.retryTarget === undefined ? (one.more ?? '') : '',
  ];
  return `${id} [${parts.filter((part) => part !== '').join(', ')}]`;
}
