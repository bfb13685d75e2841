import type { RunEvent } from '../machine/event.js';
import type { StageStatus } from '../machine/outcome.js';
import type { Jump, RunOverlay, VisitedNode, VisitState } from '../render/run-overlay.js';
import type { OverviewStatus } from './run-overview.js';

/** A run that a stage has started, as far as its stage is told by it. */
export interface TracedChild {
  readonly node_id: string;
  readonly name: string;
  readonly status: string;
}

/**
 * What became of every stage and edge, as a fold over the events of a run, restarts included; the same in a browser, event
 * by event, as in one go over a journal.
 */
export class RunTrace {
  readonly #edgeOfBranch: EdgeOfBranch;
  readonly #nodes = new Map<string, VisitedNode>();
  readonly #edges = new Map<number, number>();
  readonly #jumps = new Map<string, Jump>();

  constructor(edgeOfBranch: EdgeOfBranch) {
    this.#edgeOfBranch = edgeOfBranch;
  }

  add(event: RunEvent): void {
    switch (event.type) {
      case 'StageStarted':
        return this.#enter(event.node_id, event.attempt === 1 && event.resumed === undefined);
      case 'StageCompleted':
      case 'StageSkipped':
        return this.#settle(event.node_id, event.outcome.status);
      case 'StageFailed':
        if (event.will_retry) return this.#set(event.node_id, 'waiting', 'failed, tries again');
        return this.#settle(event.node_id, event.outcome.status);
      case 'StageRetrying':
        return this.#set(event.node_id, 'waiting', 'waits for the next attempt');
      case 'StageSuspended':
        return this.#set(event.node_id, 'waiting', 'suspended');
      case 'InterviewStarted':
        return this.#set(event.stage, 'waiting', 'asks');
      case 'InterviewCompleted':
      case 'InterviewTimeout':
        return this.#set(event.stage, 'running', 'running');
      case 'ParallelBranchStarted':
        if (event.resumed === undefined) {
          this.#take(this.#edgeOfBranch(event.node_id, event.index));
        }
        return;
      case 'EdgeSelected':
        if (event.edge !== undefined) return this.#take(event.edge);
        // The edges that the branches took into the join show the way.
        return event.reason === 'join' ? undefined : this.#jump(event.from, event.to, event.reason);
      case 'PipelineFailed':
        return this.#set(event.node_id, 'failed', 'failed');
      default:
        return;
    }
  }

  /** @param status what the run is doing now, which its events need not say */
  overlay(status: OverviewStatus, children: readonly TracedChild[] = []): Omit<RunOverlay, 'caption'> {
    const nodes = new Map(this.#nodes);
    if (status !== 'running') stop(nodes, status);
    for (const child of children) addChild(nodes, child);
    return { nodes, edges: new Map(this.#edges), jumps: [...this.#jumps.values()] };
  }

  #enter(nodeId: string, isVisit: boolean): void {
    const visits = (this.#nodes.get(nodeId)?.visits ?? 0) + (isVisit ? 1 : 0);
    this.#nodes.set(nodeId, { state: 'running', words: 'running', visits: Math.max(1, visits) });
  }

  #settle(nodeId: string, status: StageStatus): void {
    switch (status) {
      case 'fail':
        return this.#set(nodeId, 'failed', 'failed');
      case 'skipped':
        return this.#set(nodeId, 'skipped', 'skipped');
      case 'partial_success':
        return this.#set(nodeId, 'done', 'partial success');
      case 'success':
      case 'retry':
        return this.#set(nodeId, 'done', '');
    }
  }

  #set(nodeId: string, state: VisitState, text: string): void {
    const visits = this.#nodes.get(nodeId)?.visits ?? 1;
    this.#nodes.set(nodeId, { state, words: text, visits });
  }

  #take(edge: number | undefined): void {
    if (edge !== undefined) this.#edges.set(edge, (this.#edges.get(edge) ?? 0) + 1);
  }

  #jump(from: string, to: string, reason: string): void {
    const key = JSON.stringify([from, to, reason]);
    const count = (this.#jumps.get(key)?.count ?? 0) + 1;
    this.#jumps.set(key, { from, to, reason, count });
  }
}

/** The edge that leads to the branch of this number, by its index in the graph. */
export type EdgeOfBranch = (nodeId: string, branch: number) => number | undefined;

/** Nobody works on what had begun. */
function stop(nodes: Map<string, VisitedNode>, status: OverviewStatus): void {
  for (const [nodeId, node] of nodes) {
    if (node.state === 'running') {
      nodes.set(nodeId, { ...node, state: 'waiting', words: status === 'paused' ? 'paused' : 'interrupted' });
    } else if (node.state === 'waiting' && status !== 'paused' && status !== 'interrupted') {
      nodes.set(nodeId, { ...node, state: 'skipped', words: `${node.words}, ended with the run` });
    }
  }
}

function addChild(nodes: Map<string, VisitedNode>, { node_id, name, status }: TracedChild): void {
  const stage = nodes.get(node_id);
  if (stage === undefined) return;
  const child = `${name === '' ? 'child' : name} ${statusWord(status)}`;
  nodes.set(node_id, {
    ...stage,
    words: [stage.words, child].filter((part) => part !== '').join(' · '),
  });
}

/** Of the statuses that do not read as one. */
const statusWords: ReadonlyMap<string, string> = new Map([
  ['success', 'succeeded'],
  ['fail', 'failed'],
  ['damaged', 'is damaged'],
]);

/** The status of a run in a sentence about it. */
export function statusWord(status: string): string {
  return statusWords.get(status) ?? status;
}
