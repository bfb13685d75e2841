import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import type { Graph } from '../../../graph/graph.js';
import type { KnownHandlerTypes } from '../../../graph/known-handler-types.js';
import { conditionOf, handlerTypeOf, incomingEdges } from '../../../graph/queries.js';
import type { Comparison, LiteralOperand } from '../../../parser/condition/ast.js';
import { clausesOf } from '../../../parser/condition/clauses-of.js';
import type { Clause } from '../../../parser/condition/print.js';
import { printerOfLine } from '../../analysis/printed-line.js';
import { attributeOwners } from '../../attribute-owners.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { findingsInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** §4.10: `tool.output` is the whole output, with the line end that `echo` prints. */
export const outputEndsLine: LintRule = {
  name: 'output_ends_line',
  severity: 'warning',
  fixable: true,
  summary: 'A condition compares a word with the last line of a tool, not with its whole output.',
  rationale:
    '`tool.output` is everything that a command prints, including line breaks: after `echo pass` it is `pass` and a line break, which `tool.output=pass` does not match. `tool.last_line` is the last non-empty line, without surrounding blanks. `tool.output contains pass` searches the whole output.',
  *apply(graph, { handlerTypes, source }) {
    const edges = attributeOwners(graph).edgesWith('condition');
    for (const { owner: edge, attribute } of distinctAttributes(edges, 'condition')) {
      const { condition } = conditionOf(edge);
      if (condition === undefined || !attribute.value.toString().includes('tool.output')) continue;
      const compared = clausesOf(condition).flatMap(comparedOutputs);
      const remarks = compared.flatMap(({ clause, literal }) => {
        const printer = printerBefore(graph, edge.from, literal.value, handlerTypes);
        return printer === undefined ? [] : [remark(clause, literal, printer)];
      });
      for (const finding of findingsInside(attribute, remarks, source)) {
        yield { ...finding, edge: [edge.from, edge.to] };
      }
    }
  },
};

interface ComparedOutput {
  readonly clause: Comparison;
  readonly literal: LiteralOperand;
}

function comparedOutputs(clause: Clause): readonly ComparedOutput[] {
  if (clause.kind !== 'comparison' || !['=', '!=', 'in', 'not in'].includes(clause.operator)) return [];
  const { left, right } = clause;
  if (left.kind !== 'key' || !/^(?:context\.)?tool\.output$/.test(left.path)) return [];
  const [literal] = right.kind === 'list' ? right.items : [right];
  if (literal?.kind !== 'literal' || literal.value === '' || literal.value.includes('\n')) return [];
  return [{ clause, literal }];
}

/** Program that prints the text in every tool before the condition; diamonds are passed through. */
function printerBefore(
  graph: Graph,
  nodeId: string,
  text: string,
  handlerTypes: KnownHandlerTypes,
): string | undefined {
  const node = graph.nodes.get(nodeId);
  if (node === undefined) return undefined;
  const { inheritsOutcome } = handlerTypeOf(graph, node, handlerTypes);
  const ids = inheritsOutcome ? incomingEdges(graph, nodeId).map(({ from }) => from) : [nodeId];
  const printers = ids.map((id) => {
    const stage = graph.nodes.get(id);
    const isTool = stage !== undefined && handlerTypeOf(graph, stage, handlerTypes).type === 'tool';
    return isTool ? printerOfLine(nodeAttribute(stage, 'tool_command'), text) : undefined;
  });
  return printers.includes(undefined) ? undefined : printers[0];
}

function remark(clause: Comparison, { value }: LiteralOperand, printer: string): Diagnostic {
  const { left, operator } = clause;
  const key = left.kind === 'key' ? left.path.replace('output', 'last_line') : '';
  const isPositive = operator === '=' || operator === 'in';
  return {
    rule: 'output_ends_line',
    severity: 'warning',
    message: `\`tool.output\` is never ${excerpt(value)}: \`${printer}\` prints a line break after it, so this ${isPositive ? 'never' : 'always'} holds`,
    span: left.span,
    fix: { title: `write \`${key}\``, edits: [{ span: left.span, text: key }] },
  };
}
