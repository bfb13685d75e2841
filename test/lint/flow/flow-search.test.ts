import { expect, test, vi } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import { type FlowSearch, flowSearch } from '../../../src/lint/flow/flow-search.js';
import { FlowSteps } from '../../../src/lint/flow/flow-steps.js';

const takes = (from: string, to: string) => (search: FlowSearch) =>
  search.leaving(from, ({ route }) => route.kind === 'edge' && route.edge.to === to).kind;

/** A parallel node with two branches. */
const fork = [
  'fork [shape=component] fork -> a -> join fork -> b -> join join [prompt="Join"] start -> fork',
];

/** What the search says about the runs of a pipeline. */
const cases: readonly {
  readonly name: string;
  readonly lines: readonly string[];
  readonly ask: (search: FlowSearch) => string;
  readonly says: string;
}[] = [
  {
    name: 'a stage that skips its work is neither a success nor a partial one',
    lines: [
      'start -> work -> rest -> exit',
      'work -> exit [condition="outcome=success"]',
      'work -> start2 [condition="outcome=partial_success"]',
      'start2 -> exit',
    ],
    ask: takes('work', 'rest'),
    says: 'found',
  },
  {
    name: 'a label that chooses an edge leaves the next diamond to itself',
    lines: [
      'gate [shape=diamond]',
      'start -> work -> gate [label="Go"]',
      'work -> rest [weight=1] rest -> exit',
      'gate -> again again -> exit gate -> gate [label="Stop"] gate -> exit [weight=-1]',
    ],
    ask: takes('gate', 'again'),
    says: 'found',
  },
  {
    name: 'where two nodes choose, suggestions together may lead anywhere',
    lines: [
      'gate [shape=diamond]',
      'start -> work -> gate gate -> exit gate -> last [weight=-1] last -> exit',
      'work -> last [weight=1]',
    ],
    ask: takes('gate', 'last'),
    says: 'unknown',
  },
  {
    name: 'a goal gate that was never visited sends the run to its own retry target',
    lines: [
      'graph [require_goal_gates=true]',
      'review [goal_gate=true, retry_target=repair]',
      'repair [prompt="Repair it"]',
      'start -> work -> exit',
      'repair -> review -> exit',
    ],
    ask: (search) => search.entering('repair').kind,
    says: 'found',
  },
  {
    name: 'a condition that asks for any label takes one',
    lines: ['start -> work work -> rest [condition="preferred_label"] work -> exit rest -> exit'],
    ask: takes('work', 'rest'),
    says: 'found',
  },
  {
    name: 'a value that is passed on is one that its own conditions do not name',
    lines: [
      'work [writes="j"] pass [writes="z", "assign.k"="${context.j}"] last [reads="z", writes="z"]',
      'start -> work work -> pass [condition="context.j!=blue"] work -> exit [condition="context.j=blue"]',
      'pass -> last last -> rest [condition="context.k=red"] last -> exit [condition="context.k!=red"] rest -> exit',
    ],
    ask: takes('last', 'rest'),
    says: 'found',
  },
  {
    name: 'an input that is given otherwise leads elsewhere',
    lines: [
      'graph [inputs="mode: fast|slow = slow"]',
      'start -> work work -> rest [condition="inputs.mode=fast"] work -> exit rest -> exit',
    ],
    ask: takes('work', 'rest'),
    says: 'found',
  },
  {
    name: 'an input has the same value wherever it is read',
    lines: [
      'graph [inputs="mode: fast|slow"]',
      'start -> work work -> rest [condition="inputs.mode=fast"] work -> exit',
      'rest -> last [condition="inputs.mode=slow"] rest -> exit last -> exit',
    ],
    ask: takes('rest', 'last'),
    says: 'never',
  },
  {
    name: 'visits of a stage are counted, by its name too',
    lines: [
      'start -> work work -> work [condition="outcome=fail && stages.work.visits < 3"] work -> exit',
      'work -> rest [condition="outcome=fail && stages.work.visits > 3"] rest -> exit',
    ],
    ask: takes('work', 'rest'),
    says: 'never',
  },
  {
    name: 'the number of restarts, and the stage that failed last',
    lines: [
      'start -> work work -> rest [condition="outcome=fail && internal.restart_count=1"]',
      'work -> work [condition="outcome=fail && internal.restart_count < 1", loop_restart=true] work -> exit',
      'rest -> last [condition="internal.last_failure.node=work"] rest -> exit last -> exit',
    ],
    ask: takes('rest', 'last'),
    says: 'found',
  },
  {
    name: 'a failure that `retry_when` repeats ends as a part of a success, where that is allowed',
    lines: [
      'work [max_retries=1, retry_when="outcome=fail", allow_partial=true]',
      'start -> work work -> rest [condition="outcome=fail"] work -> exit rest -> exit',
    ],
    ask: takes('work', 'rest'),
    says: 'never',
  },
  {
    name: 'after the join, what only one branch can have said is seen',
    lines: [
      ...fork,
      'join -> rest [condition="stages.a.outcome=fail && stages.b.outcome=fail"] join -> exit rest -> exit',
      'rest -> last [condition="stages.a.success"] rest -> exit last -> exit',
    ],
    ask: takes('rest', 'last'),
    says: 'never',
  },
  {
    name: 'a branch that goes round does not keep the others from their stages',
    lines: [
      ...fork,
      'a -> a [condition="outcome in [success, fail, partial_success, skipped]"]',
      'join -> exit',
    ],
    ask: (search) => search.entering('b').kind,
    says: 'unknown',
  },
  {
    name: 'a run is not shown in a branch besides one that a limit may end first',
    lines: [
      ...fork,
      'b [max_visits=1] a -> c -> join b -> b [condition="stages.a.visits = 0"] b -> join join -> exit',
    ],
    ask: (search) => search.entering('c').kind,
    says: 'unknown',
  },
  {
    name: 'a branch sees nothing of another one',
    lines: [...fork, 'join -> exit b -> rest [condition="stages.a.outcome=fail"] rest -> join'],
    ask: takes('b', 'rest'),
    says: 'never',
  },
  {
    name: 'visits of a stage in a branch add up over the visits of the parallel node',
    lines: [
      ...fork,
      'join -> rest [condition="stages.a.visits=2"] join -> fork [condition="outcome=fail"] join -> exit rest -> exit',
    ],
    ask: takes('join', 'rest'),
    says: 'found',
  },
  {
    name: 'the main line and a branch count the visits of a stage each for itself',
    lines: [
      'fork [shape=component] fork -> a -> join fork -> b -> join',
      'start -> a a -> fork [condition="outcome=fail"]',
      'join -> rest [condition="stages.a.visits=2"] join -> exit rest -> exit',
    ],
    ask: takes('join', 'rest'),
    says: 'never',
  },
  {
    name: 'two parallel nodes whose branches begin alike count the visits of a stage together',
    lines: [
      'fork [shape=component] fork -> a -> join fork -> b -> join join [prompt="Join"] a [max_visits=1]',
      'other [shape=component] join -> other other -> a other -> c -> join2 a -> join2 [condition="stages.join.success"]',
      'start -> fork join2 -> exit',
    ],
    ask: takes('a', 'join2'),
    says: 'never',
  },
  {
    name: 'a diamond passes on the stage whose outcome it has',
    lines: [
      'gate [shape=diamond]',
      'start -> work work -> gate [condition="outcome=success"] work -> rest [condition="outcome!=success"] rest -> gate',
      'gate -> last [condition="outcome=fail && result.node=work"] gate -> exit last -> exit',
    ],
    ask: takes('gate', 'last'),
    says: 'never',
  },
  {
    name: 'a branch begins without an outcome, and its parallel node has its own',
    lines: [
      'gate [shape=diamond] fork [shape=component] fork -> gate fork -> b -> join',
      'start -> work -> fork gate -> rest [condition="result.node=work"] gate -> join rest -> join',
      'join [shape=diamond] join -> exit [condition="result.node=fork"] join -> last [condition="result.node!=fork"] last -> exit',
    ],
    ask: (search) => `${takes('gate', 'rest')(search)} ${takes('join', 'last')(search)}`,
    says: 'never never',
  },
  {
    name: 'a final failure comes after any number of retries, and a success ends them',
    lines: [
      'work [max_retries=2] start -> work',
      'work -> rest [condition="outcome=fail && internal.retry_count.work=1"] rest -> exit work -> exit',
      'work -> last [condition="outcome!=fail && internal.retry_count.work > 0"] last -> exit',
      'work -> more [condition="outcome=fail && internal.retry_count.work > 2"] more -> exit',
    ],
    ask: (search) => ['rest', 'last', 'more'].map((to) => takes('work', to)(search)).join(' '),
    says: 'found never never',
  },
  {
    name: 'a final failure that comes again ends the run, although it has a route',
    lines: [
      'gate [shape=diamond, retry_target=gate, fail_when="outcome=fail"] start -> work -> gate -> exit',
    ],
    ask: (search) => search.leaving('gate', ({ route }) => route.kind === 'fail').kind,
    says: 'unknown',
  },
  {
    name: 'a final failure that comes again is not sent back, but continues into a diamond',
    lines: [
      'work [retry_target=work] gate [shape=diamond] gate -> exit',
      'start -> work work -> exit [condition="outcome!=fail"] work -> gate',
    ],
    ask: takes('work', 'gate'),
    says: 'unknown',
  },
  {
    name: 'a final failure that comes again ends its branch, although it has a route',
    lines: [
      'fork [shape=component, join_policy=k_of_n, join_k=2, retry_target=rest] rest [prompt="Rest"] rest -> exit',
      'a [retry_target=a] b [retry_target=b] start -> fork fork -> a -> join fork -> b -> join join -> exit',
    ],
    ask: (search) => search.entering('rest').kind,
    says: 'unknown',
  },
  {
    name: 'a run that ends before a diamond says what the stage before says, which a simulation would make up',
    lines: [
      'gate [shape=diamond] start -> work work -> exit [condition="context.mode=slow"] work -> gate',
      'gate -> rest [condition="outcome=fail"] rest -> exit',
    ],
    ask: (search) => {
      const answer = search.entering('gate');
      return answer.kind === 'found' ? JSON.stringify(answer.witness.nodes) : answer.kind;
    },
    says: '{"work":[{"outcome":"success"}]}',
  },
  {
    name: 'a failure that has a route, and cannot come again, ends nothing',
    lines: [
      'fork [shape=component, join_policy=k_of_n, join_k=2, retry_target=rest] rest [prompt="Rest"] rest -> exit',
      'a [retry_target=c] b [retry_target=c] c [shape=diamond] c -> join',
      'start -> fork fork -> a -> join fork -> b -> join join -> exit',
    ],
    ask: (search) => search.leaving('a', ({ route }) => route.kind === 'fail').kind,
    says: 'never',
  },
  {
    name: 'what is not followed is taken in every way by a proof',
    lines: [
      'work [writes="k: red|blue", reads="k"] rest [writes="z"]',
      'start -> work work -> rest [condition="context.k=red"] work -> exit',
      'rest -> last [condition="stages.work.notes contains ok && context.k=blue"] rest -> exit last -> exit',
    ],
    ask: (search) => search.entering('last').kind,
    says: 'never',
  },
];

test.each(cases)('$name', ({ lines, ask, says }) => {
  const text = ['digraph G {', 'start [shape=Mdiamond] exit [shape=Msquare]', ...lines, '}'].join('\n');
  const { graph, diagnostics } = compile(text);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const search = flowSearch(graph, knownHandlerTypes());
  expect(search && ask(search)).toBe(says);
});

test('of a state with ten thousand ways out some are left out', () => {
  const from = vi.spyOn(FlowSteps.prototype, 'from');
  try {
    compile(`digraph {
      start [shape=Mdiamond, "assign.phase"="draft"]
      exit [shape=Msquare]
      work ["assign.n"="\${context.ratio}", retry_target=again]
      start -> again
      again -> fork [condition="context.n=12"]
      fork -> work
      work -> inner [condition="context.n=3"]
      work -> exit [condition="context.item != 3.0 || context.n.x >= true"]
      work -> again [condition="context.item < low || internal.restart_count matches \\"a\\""]
      again -> last [condition="context.phase.a >= 12", weight=2]
      inner -> first
      first -> last [condition="context.never=1"]
      last -> again [condition="context.verdict contains \\"3\\""]
      last -> exit [condition="outcome=success && context.by.x in [low, pass]"]
    }`);
    const found = from.mock.results.map(({ value }) => value.departures.length);
    expect(Math.max(...found)).toBeLessThan(3500);
  } finally {
    from.mockRestore();
  }
});
