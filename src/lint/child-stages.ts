import { childAttribute } from '../graph/child-file.js';
import type { Attribute, Graph, Node } from '../graph/graph.js';
import { perGraph } from '../graph/per-graph.js';
import { handlerTypeOf, nodesHandledBy } from '../graph/queries.js';
import { controlFlow } from './analysis/control-flow.js';
import { pointsReachedWithout } from './analysis/paths-without.js';
import type { ChildPipeline } from './named-files.js';
import type { LintContext } from './rule.js';

/** Stage that runs the pipeline in a file. */
export interface ChildStage {
  readonly node: Node;
  /** Attribute that names the file: of the node, or of the graph. */
  readonly attribute: Attribute;
  /** Path as written in the text. */
  readonly file: string;
  readonly child: ChildPipeline;
}

/** Stages that run a pipeline, with their children; none without access to files. */
export function* childStages(
  graph: Graph,
  { handlerTypes, childPipeline }: LintContext,
): Generator<ChildStage> {
  if (childPipeline === undefined) return;
  for (const node of nodesHandledBy(graph, handlerTypes, ({ runsChild }) => runsChild)) {
    const attribute = childAttribute(graph, node, handlerTypeOf(graph, node, handlerTypes));
    const file = attribute === undefined ? '' : String(attribute.value).trim();
    if (attribute === undefined || file === '') continue;
    const child = childPipeline(file);
    if (child !== undefined) yield { node, attribute, file, child };
  }
}

/**
 * True if every path to a stage passes one that can write files, so that the present content of a file proves
 * nothing.
 */
export function mayBeWritten(graph: Graph, node: Node, { handlerTypes }: LintContext): boolean {
  const { flow, unwritten } = unwrittenPlaces(graph, handlerTypes);
  if (!flow.isComplete) return true;
  const points = flow.placesOf(node.id);
  return points.length > 0 && points.every(({ index }) => !unwritten.has(index));
}

/**
 * True if a stage whose text names the file, such as `Write sub/child.dot`, may rewrite it, so that its
 * present content proves little.
 */
export function mayBeRewritten(
  graph: Graph,
  { node, file }: ChildStage,
  { handlerTypes }: LintContext,
): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const writers = nodesHandledBy(graph, handlerTypes, ({ harmless, runsChild }) => !harmless && !runsChild);
  return writers.some((writer) => writer !== node && namesFile(writer, name));
}

function namesFile({ attributes }: Node, name: string): boolean {
  return [...attributes.values()].some(({ value }) => typeof value === 'string' && value.includes(name));
}

/** Points that a run can reach before any stage could write a file. */
const unwrittenPlaces = perGraph((graph, handlerTypes) => {
  const flow = controlFlow(graph, handlerTypes);
  const writers = flow.points.filter(({ handler }) => !handler.harmless).map(({ index }) => index);
  return { flow, unwritten: pointsReachedWithout(flow, new Set(writers)) };
});
