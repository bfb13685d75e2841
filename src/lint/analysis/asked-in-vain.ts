import { nodeAttribute } from '../../graph/attributes.js';
import type { Graph, Node } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { handlerTypeOf, incomingEdges } from '../../graph/queries.js';
import { hasOwnRule } from '../../graph/values/own-rules.js';
import type { Comparison, Condition, LiteralOperand } from '../../parser/condition/ast.js';
import { exitCodes, isOfShellAlone } from './exit-codes.js';
import { printedLines } from './printed-words.js';

/** Answer of a command that a comparison awaits and that never comes, with the answers that do. */
export type AskedInVain =
  | { readonly kind: 'line'; readonly operand: LiteralOperand; readonly lines: ReadonlySet<string> }
  | {
      readonly kind: 'code' | 'outcome';
      readonly operand: LiteralOperand;
      readonly codes: ReadonlySet<number>;
    };

/** Tools before a condition; diamonds are passed through. Undefined if something else comes before it. */
export function toolsBefore(
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

/** True if a condition asks of the commands before it what never comes; false where that is not known. */
export function neverHolds(condition: Condition, tools: readonly Node[]): boolean {
  switch (condition.kind) {
    case 'or':
      return condition.operands.every((operand) => neverHolds(operand, tools));
    case 'and':
      return condition.operands.some((operand) => neverHolds(operand, tools));
    case 'comparison':
      return (
        ['=', 'in', 'contains'].includes(condition.operator) &&
        askedInVain(condition, tools).length === itemsOf(condition).length
      );
    default:
      return false;
  }
}

/** The literals of a comparison with a tool's output, code or outcome that its command never comes to. */
export function askedInVain(comparison: Comparison, tools: readonly Node[]): readonly AskedInVain[] {
  const { left, operator } = comparison;
  if (left.kind !== 'key') return [];
  const literals = itemsOf(comparison).filter((one) => one.kind === 'literal');
  switch (left.path.replace(/^context\./, '')) {
    case 'tool.output':
    case 'tool.last_line': {
      const lines = together(tools, printedLines);
      if (lines === undefined) return [];
      const isImpossible = testOf(operator, lines);
      return literals
        .filter(({ value }) => isImpossible(value))
        .map((operand) => ({ kind: 'line', operand, lines }));
    }
    case 'tool.exit_code': {
      const codes = together(tools, exitCodes);
      if (codes === undefined || !isEquality(operator)) return [];
      return literals
        .filter(({ value }) => isOtherCode(value, codes))
        .map((operand) => ({ kind: 'code', operand, codes }));
    }
    case 'outcome': {
      const isCertain = operator === '=' && tools.every(isByCodeAlone);
      const codes = isCertain ? together(tools, exitCodes) : undefined;
      if (codes === undefined) return [];
      return literals
        .filter(({ value }) => isOtherOutcome(value, codes))
        .map((operand) => ({ kind: 'outcome', operand, codes }));
    }
    default:
      return [];
  }
}

function itemsOf({ right }: Comparison) {
  return right.kind === 'list' ? right.items : [right];
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

function isOtherOutcome(text: string, codes: ReadonlySet<number>): boolean {
  if (text === 'success') return !codes.has(0);
  return text === 'fail' && [...codes].every((code) => code === 0);
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
