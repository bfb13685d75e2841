import { expect, it } from 'vitest';
import { SourceText } from '../../src/diagnostic/source.js';
import type { Graph } from '../../src/graph/graph.js';
import { lint } from '../../src/lint/lint.js';
import type { Finding, LintRule } from '../../src/lint/rule.js';

const graph: Graph = {
  name: 'G',
  nameSpan: { start: 0, end: 0 },
  attributes: new Map(),
  nodes: new Map(),
  edges: [],
  subgraphs: [],
};
const context = { source: new SourceText('g.dot', ''), handlerTypes: new Set<string>() };

function rule(name: string, severity: LintRule['severity'], ...findings: Finding[]): LintRule {
  return { name, severity, summary: 'A rule.', apply: () => findings };
}

function at(start: number, severity?: Finding['severity']): Finding {
  return { message: 'm', span: { start, end: start + 1 }, ...(severity && { severity }) };
}

it('orders findings by place, then severity, then rule', () => {
  const rules = [
    rule('b_rule', 'warning', at(7), at(3)),
    rule('a_rule', 'warning', at(7)),
    rule('c_rule', 'error', at(7), at(1, 'info')),
  ];
  const order = lint(graph, context, rules).map(({ span, severity, rule }) => [span.start, severity, rule]);
  expect(order).toEqual([
    [1, 'info', 'c_rule'],
    [3, 'warning', 'b_rule'],
    [7, 'error', 'c_rule'],
    [7, 'warning', 'a_rule'],
    [7, 'warning', 'b_rule'],
  ]);
});

it('gives a finding the severity of its rule, unless it has its own', () => {
  const found = lint(graph, context, [rule('some_rule', 'error', at(1), at(2, 'info'))]);
  expect(found.map(({ severity }) => severity)).toEqual(['error', 'info']);
});
