import path from 'node:path';
import type { RunEvent } from '../engine/machine/event.js';
import type { StageStatus } from '../engine/machine/outcome.js';
import type { ChildOverview } from '../engine/runtime/child-overview.js';
import { readEvent } from '../engine/runtime/follow-journal.js';
import { JournalTail } from '../engine/runtime/journal-tail.js';
import { runFiles } from '../engine/runtime/run-files.js';
import { type OverviewStatus, overviewOf, type RunOverview } from '../engine/runtime/run-overview.js';
import type { Graph } from '../graph/graph.js';
import { outgoingEdges } from '../graph/queries.js';
import type { Jump, RunOverlay, VisitedNode, VisitState } from '../render/run-overlay.js';
import { formatDuration } from './format-duration.js';

/**
 * What happened in a run so far, to be drawn over its pipeline; a run may be under way meanwhile.
 * @param now milliseconds since 1970
 * @throws RunError where the run cannot be read
 */
export function traceRun(directory: string, graph: Graph, now: number): RunOverlay {
  const overview = overviewOf(directory, now);
  const trace = new Trace(graph);
  for (const line of new JournalTail(path.join(directory, runFiles.journal)).read()) {
    const event = readEvent(line);
    // What was appended since the overview may be newer than what that says.
    if (event !== undefined && event.seq <= overview.seq) trace.add(event);
  }
  return trace.overlay(overview);
}

/** Of the statuses that do not read as one. */
const statusWords: ReadonlyMap<string, string> = new Map([
  ['success', 'succeeded'],
  ['fail', 'failed'],
  ['damaged', 'is damaged'],
]);

function statusWord(status: string): string {
  return statusWords.get(status) ?? status;
}

function captionOf({ run_id, status, stages_done, duration_ms, failure_reason }: RunOverview): string {
  const stages = `${stages_done} ${stages_done === 1 ? 'stage' : 'stages'}`;
  const facts = [`run ${run_id}`, statusWord(status), stages, formatDuration(duration_ms)];
  return `${facts.join(' · ')}${failure_reason === null ? '' : `: ${failure_reason}`}`;
}

interface Visits {
  state: VisitState;
  words: string;
  visits: number;
}

/** A fold over the events of a run, restarts included. */
class Trace {
  readonly #graph: Graph;
  readonly #nodes = new Map<string, Visits>();
  readonly #edges = new Map<number, number>();
  readonly #jumps = new Map<string, Jump>();

  constructor(graph: Graph) {
    this.#graph = graph;
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
          this.#take(outgoingEdges(this.#graph, event.node_id)[event.index]?.index);
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

  overlay(overview: RunOverview): RunOverlay {
    if (overview.status !== 'running') this.#stop(overview.status);
    for (const child of overview.child_runs) this.#addChild(child);
    return {
      caption: captionOf(overview),
      nodes: this.#nodes satisfies ReadonlyMap<string, VisitedNode>,
      edges: this.#edges,
      jumps: [...this.#jumps.values()],
    };
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

  /** Nobody works on what had begun. */
  #stop(status: OverviewStatus): void {
    for (const [nodeId, { state, words: text }] of this.#nodes) {
      if (state === 'running') this.#set(nodeId, 'waiting', status === 'paused' ? 'paused' : 'interrupted');
      else if (state === 'waiting' && status !== 'paused' && status !== 'interrupted') {
        this.#set(nodeId, 'skipped', `${text}, ended with the run`);
      }
    }
  }

  #addChild({ node_id, name, status }: ChildOverview): void {
    const stage = this.#nodes.get(node_id);
    if (stage === undefined) return;
    const child = `${name === '' ? 'child' : name} ${statusWord(status)}`;
    this.#nodes.set(node_id, {
      ...stage,
      words: [stage.words, child].filter((part) => part !== '').join(' · '),
    });
  }
}
