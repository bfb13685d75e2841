import type { Span } from '../../diagnostic/source.js';
import { graphAttribute, nodeAttribute } from '../../graph/attributes.js';
import { adjacencyOf } from '../../graph/flow/adjacency.js';
import { branchRegions } from '../../graph/flow/branch-regions.js';
import { cyclicGroups } from '../../graph/flow/cycles.js';
import { joinPoints } from '../../graph/flow/join-points.js';
import { jumpTargets } from '../../graph/flow/jump-targets.js';
import type { Graph, Node } from '../../graph/graph.js';
import { modelChoice } from '../../graph/model-choice.js';
import { perGraph } from '../../graph/per-graph.js';
import { perObject } from '../../graph/per-object.js';
import { handlerTypeOf, outgoingEdges } from '../../graph/queries.js';
import { documentSymbols, flatSymbols } from './document-symbols.js';
import type { PipelineText } from './text/pipeline-text.js';

/** Words that an editor shows inside a text. */
export interface InlayHint {
  readonly offset: number;
  readonly text: string;
  readonly explanation: string;
}

/** Hints after the declarations of nodes in a range: the kind of stage, its model, its join, and how often it can run. */
export function inlayHints(pipeline: PipelineText, range: Span): readonly InlayHint[] {
  const declared = flatSymbols(documentSymbols(pipeline)).filter(
    ({ kind, nameSpan: { start, end } }) => kind === 'node' && end >= range.start && start <= range.end,
  );
  return declared.flatMap(({ name, nameSpan }) => {
    const node = pipeline.graph.nodes.get(name);
    return node === undefined ? [] : [hintOf(node, nameSpan.end, pipeline)];
  });
}

function hintOf(node: Node, offset: number, { graph, handlerTypes }: PipelineText): InlayHint {
  const handler = handlerTypeOf(graph, node, handlerTypes);
  const { model } = modelChoice(graph, node);
  const join = joinPoints(graph, handlerTypes).get(node.id);
  const visits = visitsOf(graph, node);
  // Each branch counts for itself (SEMANTICS 106).
  const each = inBranches(graph, handlerTypes).has(node.id) ? ' a branch' : '';
  const words = [
    handler.title,
    ...(handler.mayAskModel && model !== undefined ? [model] : []),
    ...(join === undefined ? [] : [`joins at ${join}`]),
    ...(visits === undefined ? [] : [`at most ${visits}×${each}`]),
  ];
  const loop = visits === undefined ? '' : ` It is part of a loop, and runs at most ${visits} times${each}.`;
  return { offset, text: words.join(' · '), explanation: `${handler.summary}${loop}` };
}

/** Maximum of visits of a node that is part of a loop; undefined for any other, which runs once. */
function visitsOf(graph: Graph, node: Node): number | undefined {
  if (!inLoops(graph).has(node.id)) return undefined;
  const steps = graphAttribute(graph, 'max_steps');
  return Math.min(nodeAttribute(node, 'max_visits') ?? steps, steps);
}

/** Nodes that branches may enter; none if the branches are too tangled to be followed. */
const inBranches = perGraph((graph, handlerTypes): ReadonlyMap<string, unknown> => {
  const joins = joinPoints(graph, handlerTypes);
  return joins.size === 0 ? new Map() : branchRegions(graph, joins).branches;
});

/** Nodes that lead back to themselves, by edges or by jumps after a failure. */
const inLoops = perObject((graph: Graph): ReadonlySet<string> => {
  const { nodes } = adjacencyOf(graph);
  const successors = (id: string): readonly string[] => {
    const node = graph.nodes.get(id);
    const jumps =
      node === undefined
        ? []
        : jumpTargets(nodeAttribute(node, 'retry_target'), nodeAttribute(node, 'fallback_retry_target'));
    return [
      ...outgoingEdges(graph, id).map(({ to }) => to),
      ...jumps.map(({ nodeId }) => nodeId).filter((to) => graph.nodes.has(to)),
    ];
  };
  return new Set(
    cyclicGroups(
      nodes.map(({ id }) => id),
      successors,
    ).flat(),
  );
});
