import { expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import { type FlowSearch, flowSearch } from '../../../src/lint/flow/flow-search.js';

const takes = (from: string, to: string) => (search: FlowSearch) =>
  search.leaving(from, ({ route }) => route.kind === 'edge' && route.edge.to === to).kind;

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
