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
];

test.each(cases)('$name', ({ lines, ask, says }) => {
  const text = ['digraph G {', 'start [shape=Mdiamond] exit [shape=Msquare]', ...lines, '}'].join('\n');
  const { graph, diagnostics } = compile(text);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const search = flowSearch(graph, knownHandlerTypes());
  expect(search && ask(search)).toBe(says);
});
