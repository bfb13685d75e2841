import type { Span } from '../diagnostic/source.js';
import { nodeAttribute } from '../graph/attributes.js';
import { choicesOf, describeChoice } from '../graph/choices.js';
import type { Edge } from '../graph/graph.js';
import { perObject } from '../graph/per-object.js';
import type { Program, ProgramEdge, ProgramNode } from '../graph/program.js';

/** Kinds of what tests can cover, in the order of reports. */
export const pointKinds = ['node', 'edge', 'condition', 'choice', 'failure'] as const;
export type PointKind = (typeof pointKinds)[number];

/** Something in a pipeline that a run may do, and that a test should see. */
export interface CoveragePoint {
  /** Unique in the pipeline. */
  readonly id: string;
  readonly kind: PointKind;
  /** The node that it belongs to: for an edge, the one that it leaves. */
  readonly nodeId: string;
  /** Index of the edge, for an edge, its condition and its choice. */
  readonly edge?: number;
  /** In words: `"test" fails`. */
  readonly text: string;
  readonly span: Span;
}

/** Ids of points, as runs name them. */
export const pointId = {
  node: (nodeId: string) => `node ${nodeId}`,
  edge: (index: number) => `edge ${index}`,
  condition: (edge: number, value: boolean) => `condition ${edge} ${value}`,
  choice: (edge: number) => `choice ${edge}`,
  failure: (nodeId: string, way: WayOfFailing) => `failure ${nodeId} ${way}`,
} as const;

/**
 * `fails`: the last attempt fails. `retries`: another attempt follows. `jumps`: control goes to a retry target.
 * `blocks`: as a goal gate, it does not let the run end.
 */
export type WayOfFailing = 'fails' | 'retries' | 'jumps' | 'blocks';

/** All that tests of a program can cover, in the order of its nodes and edges. */
export const coveragePoints = perObject((program: Program): readonly CoveragePoint[] => {
  const points = [...program.nodes.values()].flatMap((node) => [
    nodePoint(node),
    ...node.edges.flatMap((edge) => edgePoints(edge, node, program)),
    ...choicePoints(node, program),
    ...failurePoints(node, program),
  ]);
  const order = (point: CoveragePoint): number => pointKinds.indexOf(point.kind);
  return points.sort((one, other) => order(one) - order(other));
});

function nodePoint({ id, node: { span } }: ProgramNode): CoveragePoint {
  return { id: pointId.node(id), kind: 'node', nodeId: id, text: `"${id}"`, span };
}

function edgePoints(
  { index, to, condition, conditionText }: ProgramEdge,
  { id }: ProgramNode,
  { graph }: Program,
): readonly CoveragePoint[] {
  const { span } = edgeAt(graph.edges, index);
  const place = { nodeId: id, edge: index, span };
  const text = `"${id}" -> "${to}"`;
  const edge: CoveragePoint = { ...place, id: pointId.edge(index), kind: 'edge', text };
  if (condition === undefined || condition.kind === 'constant') return [edge];
  const truths = [true, false].map((value): CoveragePoint => {
    const said = `${text}: ${conditionText} is ${value}`;
    return { ...place, id: pointId.condition(index, value), kind: 'condition', text: said };
  });
  return [edge, ...truths];
}

function choicePoints({ id, handler, edges }: ProgramNode, { graph }: Program): readonly CoveragePoint[] {
  if (handler.type !== 'wait.human') return [];
  const choices = choicesOf(edges);
  return edges.flatMap(({ index }, position): CoveragePoint[] => {
    const choice = choices[position];
    if (choice === undefined) return [];
    const { span } = edgeAt(graph.edges, index);
    const text = `"${id}": ${describeChoice(choice)}`;
    return [{ id: pointId.choice(index), kind: 'choice', nodeId: id, edge: index, text, span }];
  });
}

function failurePoints(
  { id, handler, retry, jumpTargets, goalGate, node }: ProgramNode,
  program: Program,
): readonly CoveragePoint[] {
  const point = (way: WayOfFailing, text: string): CoveragePoint => ({
    id: pointId.failure(id, way),
    kind: 'failure',
    nodeId: id,
    text: `"${id}" ${text}`,
    span: node.span,
  });
  // A gate that nobody answers pauses the run, unless its time is limited.
  const isPatient =
    handler.type === 'wait.human' &&
    (nodeAttribute(node, 'timeout') === undefined || nodeAttribute(node, 'human.default_choice') !== '');
  const canFail = !handler.neverFails && !handler.instant && !isPatient;
  const points: CoveragePoint[] = [];
  if (canFail) points.push(point('fails', 'fails'));
  if (canFail && retry.maxAttempts > 1) points.push(point('retries', 'is retried'));
  const targets = jumpTargets.filter(({ nodeId }) => program.nodes.has(nodeId));
  if (canFail && targets.length > 0)
    points.push(point('jumps', `fails, and control goes to "${targets[0]?.nodeId}"`));
  if (goalGate) points.push(point('blocks', 'does not let the run end'));
  return points;
}

function edgeAt(edges: readonly Edge[], index: number): Edge {
  const edge = edges[index];
  if (edge === undefined) throw new Error(`the graph has no edge ${index}`);
  return edge;
}
