import { evaluateCondition } from '../graph/evaluate-condition.js';
import type { Program } from '../graph/program.js';
import { conditionScope } from '../machine/context.js';
import type { RunEvent } from '../machine/event.js';
import { evolve } from '../machine/evolve/evolve.js';
import { initialState, mainCursor, type RunState } from '../machine/state.js';
import { pointId } from './coverage-points.js';

/** Number of times that each point was covered, by its id; those that are missing were not. */
export type Coverage = ReadonlyMap<string, number>;

/** Notes what the events of a run cover, one by one. */
export class CoverageWatcher {
  readonly #program: Program;
  readonly #covered = new Map<string, number>();
  #state: RunState = initialState;

  constructor(program: Program) {
    this.#program = program;
  }

  get covered(): Coverage {
    return this.#covered;
  }

  note(event: RunEvent): void {
    this.#state = evolve(this.#program, this.#state, event);
    switch (event.type) {
      case 'StageStarted':
        if (event.attempt === 1) this.#count(pointId.node(event.node_id));
        return;
      case 'StageRetrying':
        return this.#count(pointId.failure(event.node_id, 'retries'));
      case 'StageCompleted':
        return this.#settled(event.node_id, event.branch);
      case 'StageSkipped':
        if (event.stopped !== true) this.#settled(event.node_id, event.branch);
        return;
      case 'StageFailed':
        if (event.will_retry) return;
        this.#count(pointId.failure(event.node_id, 'fails'));
        return this.#settled(event.node_id, event.branch);
      case 'EdgeSelected':
        return this.#selected(event);
      case 'ParallelBranchStarted':
        return this.#branchStarted(event);
      case 'PipelineFailed':
        if (event.kind === 'goal_gate') this.#count(pointId.failure(event.node_id, 'blocks'));
        return;
    }
  }

  #count(id: string): void {
    this.#covered.set(id, (this.#covered.get(id) ?? 0) + 1);
  }

  /** Conditions of a node that has settled: all of them are judged, whichever is taken. */
  #settled(nodeId: string, branch: string = mainCursor): void {
    const cursor = this.#state.cursors.get(branch);
    const node = this.#program.nodes.get(nodeId);
    const routed = cursor?.routedOutcome ?? cursor?.outcome;
    if (cursor === undefined || node === undefined || routed === undefined || node.parallel !== undefined)
      return;
    const scope = conditionScope(cursor, routed);
    for (const { index, condition } of node.edges)
      if (condition !== undefined) this.#count(pointId.condition(index, evaluateCondition(condition, scope)));
  }

  #selected({ from, reason, edge, gate }: Extract<RunEvent, { type: 'EdgeSelected' }>): void {
    if (edge !== undefined) {
      this.#count(pointId.edge(edge));
      if (this.#program.nodes.get(from)?.handler.type === 'wait.human') this.#count(pointId.choice(edge));
    }
    if (reason === 'retry_target' || reason === 'fallback_retry_target')
      this.#count(pointId.failure(from, 'jumps'));
    if (gate !== undefined) this.#count(pointId.failure(gate, 'blocks'));
  }

  /** Branches begin at the edges of their node, or all at the only one. */
  #branchStarted({ node_id, index }: Extract<RunEvent, { type: 'ParallelBranchStarted' }>): void {
    const node = this.#program.nodes.get(node_id);
    const edge = node?.parallel?.foreach === undefined ? node?.edges[index] : node.edges[0];
    if (edge !== undefined) this.#count(pointId.edge(edge.index));
  }
}

/** Coverage of several runs together. */
export function addCoverage(coverages: Iterable<Coverage>): Coverage {
  const sum = new Map<string, number>();
  for (const coverage of coverages)
    for (const [id, count] of coverage) sum.set(id, (sum.get(id) ?? 0) + count);
  return sum;
}
