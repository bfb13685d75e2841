import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import { nearestName } from '../../../diagnostic/did-you-mean.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import type { Graph } from '../../../graph/graph.js';
import type { KnownHandlerTypes } from '../../../graph/known-handler-types.js';
import { conditionOf, handlerTypeOf, incomingEdges } from '../../../graph/queries.js';
import type { LiteralOperand } from '../../../parser/condition/ast.js';
import { clausesOf } from '../../../parser/condition/clauses-of.js';
import type { Clause } from '../../../parser/condition/print.js';
import { printedLines } from '../../analysis/printed-words.js';
import { attributeOwners } from '../../attribute-owners.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { findingsInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** §4.10: a condition expects of a tool what its command can print. */
export const printedWord: LintRule = {
  name: 'printed_word',
  severity: 'warning',
  summary: 'A condition asks for a word that the command of the tool can print.',
  rationale:
    'Where all that a command prints is written in it (`npm test > log && echo PASS || echo FAIL`), a condition that asks for another word never holds: `tool.last_line=PASSED`. Upper and lower case differ. The rule says nothing about commands whose output comes from programs or variables.',
  *apply(graph, { handlerTypes, source }) {
    const edges = attributeOwners(graph).edgesWith('condition');
    for (const { owner: edge, attribute } of distinctAttributes(edges, 'condition')) {
      const { condition } = conditionOf(edge);
      if (condition === undefined || !/tool\.(?:output|last_line)/.test(attribute.value.toString())) continue;
      const lines = linesBefore(graph, edge.from, handlerTypes);
      if (lines === undefined || lines.size === 0) continue;
      const remarks = clausesOf(condition).flatMap((clause) => remarksOn(clause, lines));
      for (const finding of findingsInside(attribute, remarks, source)) {
        yield { ...finding, edge: [edge.from, edge.to] };
      }
    }
  },
};

/** Lines that the tools before a condition can print; diamonds are passed through. */
function linesBefore(
  graph: Graph,
  nodeId: string,
  handlerTypes: KnownHandlerTypes,
): ReadonlySet<string> | undefined {
  const node = graph.nodes.get(nodeId);
  if (node === undefined) return undefined;
  const { inheritsOutcome } = handlerTypeOf(graph, node, handlerTypes);
  const ids = inheritsOutcome ? incomingEdges(graph, nodeId).map(({ from }) => from) : [nodeId];
  const lines = new Set<string>();
  for (const id of ids) {
    const stage = graph.nodes.get(id);
    const isTool = stage !== undefined && handlerTypeOf(graph, stage, handlerTypes).type === 'tool';
    const own = isTool ? printedLines(nodeAttribute(stage, 'tool_command')) : undefined;
    if (own === undefined) return undefined;
    for (const line of own) lines.add(line);
  }
  return lines;
}

function remarksOn(clause: Clause, lines: ReadonlySet<string>): readonly Diagnostic[] {
  if (clause.kind !== 'comparison') return [];
  const { left, right, operator } = clause;
  const key =
    left.kind === 'key' ? /^(?:context\.)?tool\.(output|last_line)$/.exec(left.path)?.[1] : undefined;
  if (key === undefined) return [];
  const literals = (right.kind === 'list' ? right.items : [right]).filter((one) => one.kind === 'literal');
  const isImpossible = testOf(operator, lines);
  return literals.filter(({ value }) => isImpossible(value)).map((literal) => remark(literal, lines));
}

/** Test for texts that a comparison never finds. A text of several lines is left alone. */
function testOf(operator: string, lines: ReadonlySet<string>): (text: string) => boolean {
  const isPlain = (text: string): boolean => text.trim() !== '' && !text.includes('\n');
  switch (operator) {
    case '=':
    case '!=':
    case 'in':
    case 'not in':
      return (text) => isPlain(text) && !lines.has(text.trim());
    case 'contains':
      return (text) => isPlain(text) && [...lines].every((line) => !line.includes(text));
    default:
      return () => false;
  }
}

function remark({ value, span }: LiteralOperand, lines: ReadonlySet<string>): Diagnostic {
  const nearest = nearestName(value, lines, 0.6);
  const hint = nearest === undefined ? '' : ` (did you mean ${excerpt(nearest)}?)`;
  const words = [...lines].map((line) => excerpt(line));
  const printed = words.length > 4 ? `${words.slice(0, 4).join(', ')} or others` : words.join(' or ');
  return {
    rule: 'printed_word',
    severity: 'warning',
    message: `the command before never prints ${excerpt(value)}, only ${printed}${hint}`,
    span,
  };
}
