import type { Span } from '../../diagnostic/source.js';
import { nodeAttribute } from '../../graph/attributes.js';
import { asNumber } from '../../graph/evaluate-condition.js';
import type { AttributeMap, AttributeValue, Edge, Graph, Node } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { buildProgram, type Program, type ProgramEdge, type ProgramNode } from '../../graph/program.js';
import { precedence } from '../../graph/select-edge.js';
import type { Comparison, Condition, LiteralOperand } from '../../parser/condition/ast.js';
import { printCondition } from '../../parser/condition/print.js';

/** Kinds of changes, in the order in which they are made. */
export const mutantKinds = [
  'dropped_edge',
  'negated_condition',
  'shifted_condition',
  'swapped_weights',
  'swapped_targets',
  'forced_failure',
  'removed_gate',
] as const;

/** A small change of a pipeline, which its tests should notice. */
export interface Mutant {
  readonly kind: (typeof mutantKinds)[number];
  /** The change in words: `without the edge "a" -> "b"`. */
  readonly text: string;
  readonly span: Span;
  /** Node whose behaviour is another. */
  readonly nodeId: string;
  build(): Program;
}

/** All changes of a program that are tried, each on its own. */
export function mutantsOf(program: Program, handlerTypes: KnownHandlerTypes): readonly Mutant[] {
  const { graph } = program;
  const drafts = [...program.nodes.values()].flatMap((node) => [
    ...node.edges.flatMap((edge) => [droppedEdge(graph, edge), ...changedConditions(graph, edge)]),
    ...pairsOf(node.edges).flatMap(([one, other]) => [
      ...(hasWeights(node) ? swappedWeights(graph, one, other) : []),
      ...swappedTargets(graph, one, other),
    ]),
    ...forcedFailure(graph, node),
    ...removedGates(graph, node),
  ]);
  const mutants = drafts.map(
    ({ change, ...mutant }): Mutant => ({ ...mutant, build: () => buildProgram(change(), handlerTypes) }),
  );
  const order = ({ kind }: Mutant): number => mutantKinds.indexOf(kind);
  return mutants.sort((one, other) => order(one) - order(other));
}

type Draft = Omit<Mutant, 'build'> & { readonly change: () => Graph };

/** False for a node whose edges are all taken, or chosen by a person. */
function hasWeights({ parallel, handler }: ProgramNode): boolean {
  return parallel === undefined && handler.type !== 'wait.human';
}

function pairsOf<Item>(items: readonly Item[]): readonly (readonly [Item, Item])[] {
  return items.flatMap((one, index) => items.slice(index + 1).map((other) => [one, other] as const));
}

function droppedEdge(graph: Graph, edge: ProgramEdge): Draft {
  return {
    kind: 'dropped_edge',
    text: `without the edge ${edgeText(edge)}`,
    ...placeOf(graph, edge),
    change: () =>
      withEdges(
        graph,
        graph.edges.filter(({ index }) => index !== edge.index),
      ),
  };
}

function changedConditions(graph: Graph, edge: ProgramEdge): readonly Draft[] {
  const { condition, conditionText } = edge;
  if (condition === undefined || condition.kind === 'constant') return [];
  const draft = (kind: Mutant['kind'], changed: Condition): Draft => {
    const text = printCondition(changed);
    return {
      kind,
      text: `${edgeText(edge)} with the condition ${text} instead of ${conditionText}`,
      ...placeOf(graph, edge),
      change: () => withEdge(graph, edge, { condition: text }),
    };
  };
  const negated: Condition = { kind: 'not', operand: condition, span: condition.span };
  return [
    draft('negated_condition', negated),
    ...shifted(condition).map((changed) => draft('shifted_condition', changed)),
  ];
}

/** Conditions that are nearly the same: other bounds, `||` for `&&`. */
function shifted(condition: Condition): readonly Condition[] {
  switch (condition.kind) {
    case 'or':
    case 'and': {
      const { operands } = condition;
      const inside = operands.flatMap((operand, at) =>
        shifted(operand).map((changed): Condition => {
          return { ...condition, operands: operands.map((one, index) => (index === at ? changed : one)) };
        }),
      );
      return [{ ...condition, kind: condition.kind === 'or' ? 'and' : 'or' }, ...inside];
    }
    case 'not':
      return shifted(condition.operand).map((operand) => ({ ...condition, operand }));
    case 'comparison':
      return shiftedComparison(condition);
    default:
      return [];
  }
}

const neighbours: Readonly<Partial<Record<Comparison['operator'], Comparison['operator']>>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
};

function shiftedComparison(comparison: Comparison): readonly Condition[] {
  const operator = neighbours[comparison.operator];
  if (operator === undefined) return [];
  return [{ ...comparison, operator }, ...withBound(comparison, -1), ...withBound(comparison, 1)];
}

function withBound(comparison: Comparison, step: number): readonly Condition[] {
  for (const side of ['left', 'right'] as const) {
    const operand = comparison[side];
    const bound = operand.kind === 'literal' ? asNumber(operand.value) : undefined;
    if (operand.kind !== 'literal' || bound === undefined) continue;
    const moved: LiteralOperand = { ...operand, value: String(bound + step) };
    return [{ ...comparison, [side]: moved }];
  }
  return [];
}

/** The other one of two edges is preferred. */
function swappedWeights(graph: Graph, one: ProgramEdge, other: ProgramEdge): readonly Draft[] {
  if (one.condition !== undefined || other.condition !== undefined) return [];
  const [first, second] = precedence(one, other) < 0 ? [one, other] : [other, one];
  const weights =
    first.weight === second.weight ? [first.weight, first.weight + 1] : [second.weight, first.weight];
  return [
    {
      kind: 'swapped_weights',
      text: `${edgeText(second)} preferred to ${edgeText(first)}`,
      ...placeOf(graph, second),
      change: () =>
        withEdge(withEdge(graph, first, { weight: weights[0] ?? 0 }), second, { weight: weights[1] ?? 0 }),
    },
  ];
}

function swappedTargets(graph: Graph, one: ProgramEdge, other: ProgramEdge): readonly Draft[] {
  if (one.to === other.to) return [];
  return [
    {
      kind: 'swapped_targets',
      text: `${edgeText(one)} and ${edgeText(other)} with each other's targets`,
      ...placeOf(graph, one),
      change: () =>
        withEdges(
          graph,
          graph.edges.map((edge) => {
            if (edge.index === one.index) return { ...edge, to: other.to };
            return edge.index === other.index ? { ...edge, to: one.to } : edge;
          }),
        ),
    },
  ];
}

function forcedFailure(graph: Graph, { id, node, handler }: ProgramNode): readonly Draft[] {
  if (handler.neverFails || handler.instant || handler.type === 'wait.human') return [];
  return [
    {
      kind: 'forced_failure',
      text: `"${id}" always failing`,
      nodeId: id,
      span: node.span,
      change: () => withNode(graph, node, { fail_when: 'true' }),
    },
  ];
}

function removedGates(graph: Graph, { id, node, handler, goalGate }: ProgramNode): readonly Draft[] {
  const drafts: Draft[] = [];
  const place = { kind: 'removed_gate', nodeId: id, span: node.span } as const;
  if (goalGate && nodeAttribute(node, 'goal_gate'))
    drafts.push({
      ...place,
      text: `"${id}" without its goal gate`,
      change: () => withNode(graph, node, { goal_gate: false }),
    });
  if (handler.type === 'wait.human')
    drafts.push({
      ...place,
      text: `"${id}" without its question`,
      change: () => withNode(graph, node, { shape: 'diamond', type: 'conditional' }),
    });
  return drafts;
}

function edgeText({ from, to }: ProgramEdge): string {
  return `"${from}" -> "${to}"`;
}

function placeOf({ edges, nameSpan }: Graph, { from, index }: ProgramEdge): Pick<Mutant, 'nodeId' | 'span'> {
  return { nodeId: from, span: edges[index]?.span ?? nameSpan };
}

function withEdges(graph: Graph, edges: readonly Edge[]): Graph {
  return { ...graph, edges: edges.map((edge, index) => ({ ...edge, index })) };
}

type Values = Readonly<Record<string, AttributeValue>>;

function withEdge(graph: Graph, { index }: ProgramEdge, values: Values): Graph {
  const change = (edge: Edge): Edge => ({
    ...edge,
    attributes: withValues(edge.attributes, values, edge.span),
  });
  return withEdges(
    graph,
    graph.edges.map((edge) => (edge.index === index ? change(edge) : edge)),
  );
}

function withNode(graph: Graph, node: Node, values: Values): Graph {
  const changed = { ...node, attributes: withValues(node.attributes, values, node.span) };
  return { ...graph, nodes: new Map(graph.nodes).set(node.id, changed) };
}

function withValues(attributes: AttributeMap, values: Values, span: Span): AttributeMap {
  const changed = new Map(attributes);
  for (const [name, value] of Object.entries(values))
    changed.set(name, { name, value, origin: 'explicit', keySpan: span, valueSpan: span });
  return changed;
}
