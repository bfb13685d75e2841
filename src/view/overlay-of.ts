import type { Graph } from '../graph/graph.js';
import { outgoingEdges } from '../graph/queries.js';
import type { RunEvent } from '../machine/event.js';
import type { RunOverlay, VisitedNode } from '../render/run-overlay.js';
import { apply } from './fold/apply.js';
import { emptyView, type RunView } from './fold/run-view.js';
import { isUnderWay, type VisitRecord, type VisitStatus } from './fold/visit-record.js';
import type { OverviewStatus } from './run-status.js';
import { isOver } from './run-status.js';

/** Run that a stage has started, with the facts that describe the stage. */
export interface TracedChild {
  readonly node_id: string;
  readonly name: string;
  readonly status: string;
}

/** Returns the index in the graph of the edge to a branch. */
export type EdgeOfBranch = (nodeId: string, branch: number) => number | undefined;

/**
 * Overlay with the state of every stage and edge, to be drawn over the pipeline.
 * @param status of the run now, which its events need not show
 */
export function overlayOf(
  view: RunView,
  edgeOfBranch: EdgeOfBranch,
  status: OverviewStatus,
  children: readonly TracedChild[] = [],
): Omit<RunOverlay, 'caption'> {
  const nodes = new Map<string, VisitedNode>();
  for (const [nodeId, { latest, visits }] of view.nodes)
    nodes.set(nodeId, { ...lookOf(latest, status), visits });
  const { failure } = view;
  if (failure !== undefined) {
    const visits = nodes.get(failure.node_id)?.visits ?? 1;
    nodes.set(failure.node_id, { state: 'failed', words: 'failed', visits });
  }
  for (const child of children) addChild(nodes, child);
  return { nodes, edges: edgesOf(view, edgeOfBranch), jumps: [...view.jumps.values()] };
}

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

function edgesOf({ edges, branchStarts }: RunView, edgeOfBranch: EdgeOfBranch): Map<number, number> {
  const timesByEdge = new Map(edges);
  for (const { nodeId, index, count } of branchStarts.values()) {
    const edge = edgeOfBranch(nodeId, index);
    if (edge !== undefined) timesByEdge.set(edge, (timesByEdge.get(edge) ?? 0) + count);
  }
  return timesByEdge;
}

type Look = Omit<VisitedNode, 'visits'>;

function lookOf(visit: VisitRecord, status: OverviewStatus): Look {
  if (status === 'running' || status === 'queued' || !isUnderWay(visit.status)) {
    return visit.doing === undefined ? looks[visit.status] : { state: 'waiting', words: visit.doing };
  }
  if (isOver(status)) return looks.cut_off;
  const isAtWork = visit.status === 'running' || visit.status === 'branches';
  return isAtWork ? { state: 'waiting', words: status } : looks[visit.status];
}

const looks: Readonly<Record<VisitStatus, Look>> = {
  running: { state: 'running', words: 'running' },
  branches: { state: 'running', words: 'running' },
  waiting: { state: 'waiting', words: 'waits for the next attempt' },
  asking: { state: 'waiting', words: 'asks' },
  suspended: { state: 'waiting', words: 'suspended' },
  success: { state: 'done', words: '' },
  retry: { state: 'done', words: '' },
  partial_success: { state: 'done', words: 'partial success' },
  fail: { state: 'failed', words: 'failed' },
  skipped: { state: 'skipped', words: 'skipped' },
  cut_off: { state: 'skipped', words: 'cut off' },
};

function addChild(nodes: Map<string, VisitedNode>, { node_id, name, status }: TracedChild): void {
  const stage = nodes.get(node_id);
  if (stage === undefined) return;
  const child = `${name === '' ? 'child' : name} ${statusWord(status)}`;
  nodes.set(node_id, {
    ...stage,
    words: [stage.words, child].filter((part) => part !== '').join(' · '),
  });
}

/** Words for the statuses that are not words themselves. */
const statusWords: ReadonlyMap<string, string> = new Map([
  ['success', 'succeeded'],
  ['fail', 'failed'],
  ['damaged', 'is damaged'],
]);

/** Status of a run in a sentence about it. */
export function statusWord(status: string): string {
  return statusWords.get(status) ?? status;
}
