import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import { nearestName } from '../../../diagnostic/did-you-mean.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import type { Graph, Node } from '../../../graph/graph.js';
import type { KnownHandlerTypes } from '../../../graph/known-handler-types.js';
import { conditionOf, handlerTypeOf, incomingEdges } from '../../../graph/queries.js';
import { hasOwnRule } from '../../../graph/values/own-rules.js';
import type { LiteralOperand } from '../../../parser/condition/ast.js';
import { clausesOf } from '../../../parser/condition/clauses-of.js';
import type { Clause } from '../../../parser/condition/print.js';
import { exitCodes, isOfShellAlone } from '../../analysis/exit-codes.js';
import { printedLines } from '../../analysis/printed-words.js';
import { attributeOwners } from '../../attribute-owners.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { findingsInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** §4.10: a condition expects of a tool what its command can print, and a code with which it can end. */
export const printedWord: LintRule = {
  name: 'printed_word',
  severity: 'warning',
  summary:
    'A condition asks for a word that the command of the tool can print, or for a code with which it can end.',
  rationale:
    'Where all that a command prints is written in it (`npm test > log && echo PASS || echo FAIL`), a condition that asks for another word never holds: `tool.last_line=PASSED`. Upper and lower case differ. The words of `jq -r \'if .ok then "PASS" else "FAIL" end\'` are known too, which prints them with quotes if `-r` is missing. So does one that asks for another code than the command ends with (`tool.exit_code=3` after `make || exit 2`), or for a failure where the command always ends with `exit 0`. The rule says nothing where programs or variables decide.',
  *apply(graph, { handlerTypes, source }) {
    const edges = attributeOwners(graph).edgesWith('condition');
    for (const { owner: edge, attribute } of distinctAttributes(edges, 'condition')) {
      const { condition } = conditionOf(edge);
      if (condition === undefined || !/tool\.|outcome/.test(attribute.value.toString())) continue;
      const tools = toolsBefore(graph, edge.from, handlerTypes);
      if (tools === undefined) continue;
      const remarks = clausesOf(condition).flatMap((clause) => remarksOn(clause, tools));
      for (const finding of findingsInside(attribute, remarks, source)) {
        yield { ...finding, edge: [edge.from, edge.to] };
      }
    }
  },
};

/** Tools before a condition; diamonds are passed through. Undefined if something else comes before it. */
function toolsBefore(
  graph: Graph,
  nodeId: string,
  handlerTypes: KnownHandlerTypes,
): readonly Node[] | undefined {
  const node = graph.nodes.get(nodeId);
  if (node === undefined) return undefined;
  const { inheritsOutcome } = handlerTypeOf(graph, node, handlerTypes);
  const ids = inheritsOutcome ? incomingEdges(graph, nodeId).map(({ from }) => from) : [nodeId];
  const tools: Node[] = [];
  for (const id of ids) {
    const stage = graph.nodes.get(id);
    if (stage === undefined || handlerTypeOf(graph, stage, handlerTypes).type !== 'tool') return undefined;
    tools.push(stage);
  }
  return tools.length === 0 ? undefined : tools;
}

function remarksOn(clause: Clause, tools: readonly Node[]): readonly Diagnostic[] {
  if (clause.kind !== 'comparison' || clause.left.kind !== 'key') return [];
  const { left, right, operator } = clause;
  const literals = (right.kind === 'list' ? right.items : [right]).filter((one) => one.kind === 'literal');
  switch (left.path.replace(/^context\./, '')) {
    case 'tool.output':
    case 'tool.last_line': {
      const lines = together(tools, printedLines);
      const isImpossible = lines === undefined ? () => false : testOf(operator, lines);
      return literals
        .filter(({ value }) => isImpossible(value))
        .map((one) => remark(one, lines ?? new Set()));
    }
    case 'tool.exit_code': {
      const codes = together(tools, exitCodes);
      if (codes === undefined || !isEquality(operator)) return [];
      return literals.filter(({ value }) => isOtherCode(value, codes)).map((one) => codeRemark(one, codes));
    }
    case 'outcome': {
      const isCertain = operator === '=' && tools.every(isByCodeAlone);
      const codes = isCertain ? together(tools, exitCodes) : undefined;
      return codes === undefined ? [] : literals.flatMap((one) => outcomeRemark(one, codes));
    }
    default:
      return [];
  }
}

/** All that the commands of tools can come to; undefined if that of one is not known. */
function together<Value>(
  tools: readonly Node[],
  of: (command: string) => ReadonlySet<Value> | undefined,
): ReadonlySet<Value> | undefined {
  const all = new Set<Value>();
  for (const tool of tools) {
    const own = of(nodeAttribute(tool, 'tool_command'));
    if (own === undefined) return undefined;
    for (const value of own) all.add(value);
  }
  return all.size === 0 ? undefined : all;
}

function isEquality(operator: string): boolean {
  return ['=', '!=', 'in', 'not in'].includes(operator);
}

/** True for another code, but for those of a command that a signal or a timeout has ended. */
function isOtherCode(text: string, codes: ReadonlySet<number>): boolean {
  return /^\d+$/.test(text) && Number(text) < 128 && !codes.has(Number(text));
}

/** True if nothing but an exit code that is written makes the outcome of a tool; `echo` alone says nothing of it. */
function isByCodeAlone(node: Node): boolean {
  const command = nodeAttribute(node, 'tool_command');
  const others = ['auto_status', 'allow_partial', 'timeout'].some((name) => node.attributes.has(name));
  return !hasOwnRule(node) && !others && /\b(?:exit|false)\b/.test(command) && isOfShellAlone(command);
}

function outcomeRemark({ value, span }: LiteralOperand, codes: ReadonlySet<number>): readonly Diagnostic[] {
  const isWrong =
    value === 'success' ? !codes.has(0) : value === 'fail' ? [...codes].every((code) => code === 0) : false;
  if (!isWrong) return [];
  const how = value === 'fail' ? 'never fails' : `always fails, with exit code ${spelled(codes)}`;
  // Such a command is often there until the real one is written.
  return [{ rule: 'printed_word', severity: 'info', message: `the command before ${how}`, span }];
}

function codeRemark({ value, span }: LiteralOperand, codes: ReadonlySet<number>): Diagnostic {
  const message = `the command before never ends with exit code ${value}, only with ${spelled(codes)}`;
  return { rule: 'printed_word', severity: 'warning', message, span };
}

function spelled(codes: ReadonlySet<number>): string {
  return [...codes].sort((one, other) => one - other).join(' or ');
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
