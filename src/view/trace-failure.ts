import type { Graph } from '../graph/graph.js';
import { outgoingEdges } from '../graph/queries.js';
import type { RunEvent } from '../machine/event.js';
import type { RunOverlay } from '../render/run-overlay.js';
import { apply } from './fold/apply.js';
import { emptyView } from './fold/run-view.js';
import { type EdgeOfBranch, overlayOf } from './run-overlay.js';

/** Overlay of a run that is nowhere stored and has failed, such as a simulated one, from all its events. */
export function traceOfFailure(events: readonly RunEvent[], graph: Graph, caption: string): RunOverlay {
  const view = emptyView();
  for (const event of events) apply(view, event);
  return { caption, ...overlayOf(view, edgeOfBranchIn(graph), 'fail') };
}

/** Finds the edge of a branch in a graph. */
export function edgeOfBranchIn(graph: Graph): EdgeOfBranch {
  return (nodeId, branch) => outgoingEdges(graph, nodeId)[branch]?.index;
}
