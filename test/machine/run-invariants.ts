import { expect } from 'vitest';
import { evaluateCondition } from '../../src/graph/evaluate-condition.js';
import type { Program, ProgramNode } from '../../src/graph/program.js';
import { conditionScope } from '../../src/machine/context.js';
import type { RunEvent } from '../../src/machine/event.js';
import { evolve } from '../../src/machine/evolve/evolve.js';
import { isSuccessful } from '../../src/machine/outcome.js';
import { type Cursor, initialState, mainCursor, type RunState } from '../../src/machine/state.js';

/**
 * Checks of a run, event by event, what must hold whatever happened in it: also of one that was cut off and resumed,
 * paused and resumed, or stopped. Written from the specification, without a look at how the machine decides.
 */
export function expectSound(program: Program, events: readonly RunEvent[]): RunState {
  const watch = new Watch(program);
  let state = initialState;
  for (const event of events) {
    watch.before(event, state);
    state = evolve(program, state, event);
    watch.after(event, state);
  }
  watch.atEnd(state);
  return state;
}

class Watch {
  readonly #program: Program;
  /** The visit that is open in each cursor: by cursor, its ordinal. */
  readonly #open = new Map<string, number>();
  readonly #started = new Set<string>();
  /** By branch and node: visits since the last restart. */
  readonly #visits = new Map<string, number>();
  /** The same: reasons of the terminal failures since anything else happened to the stage. */
  readonly #terminal = new Map<string, readonly string[]>();
  #seq = 0;

  constructor(program: Program) {
    this.#program = program;
  }

  before(event: RunEvent, state: RunState): void {
    this.#seq += 1;
    expect(event.seq).toBe(this.#seq);
    if (event.type === 'InterviewCompleted') this.#terminal.clear();
    if (event.type === 'PipelineResumed') {
      if (event.from !== 'running') this.#terminal.clear();
      return;
    }
    if (event.type !== 'PipelineStarted') expect(state.status).toBe('running');
    switch (event.type) {
      case 'EdgeSelected':
        return this.#edgeSelected(event, cursorFor(state, event.branch), state);
      case 'StageStarted':
        return this.#stageStarted(event, cursorFor(state, event.branch), state);
      case 'StageCompleted':
      case 'StageSkipped':
      case 'StageFailed':
        return this.#stageEnded(event, cursorFor(state, event.branch));
      case 'ParallelBranchStarted':
        return this.#branchStarted(event, state);
      case 'ParallelBranchCompleted':
        return this.#branchCompleted(event, state);
      case 'PipelineCompleted':
        return this.#completed(state);
      case 'LoopRestarted':
        this.#visits.clear();
        expect(event.restart).toBe(state.restarts + 1);
        expect(event.restart).toBeLessThanOrEqual(this.#program.limits.maxRestarts);
        expect([...state.cursors.keys()]).toEqual([mainCursor]);
        return;
    }
  }

  after(event: RunEvent, state: RunState): void {
    if (event.type === 'PipelineResumed' && event.node_id !== undefined) this.#open.clear();
    const maxSteps = state.maxSteps ?? this.#program.limits.maxSteps;
    expect(state.goalGateRedirects).toBeLessThanOrEqual(this.#program.limits.maxGoalGateRedirects);
    for (const { fork, nodeId, steps } of state.cursors.values()) {
      if (steps > maxSteps) throw new Error('too many steps');
      if (fork === undefined) continue;
      const { maxParallel } = this.#node(nodeId).parallel ?? { maxParallel: 0 };
      expect(fork.next - fork.results.size).toBeLessThanOrEqual(maxParallel);
    }
    if (event.type !== 'StageCompleted' && event.type !== 'StageFailed') return;
    const cursor = cursorFor(state, event.branch);
    if (cursor.phase === 'settled') this.#resultsAreThere(event.node_id, cursor);
  }

  atEnd(state: RunState): void {
    if (state.status !== 'success') return;
    expect([...this.#open.keys()]).toEqual([]);
    expect([...this.#started]).toEqual([]);
    expect([...state.cursors.keys()]).toEqual([mainCursor]);
  }

  #node(id: string): ProgramNode {
    const node = this.#program.nodes.get(id);
    if (node === undefined) throw new Error(`no node ${id}`);
    return node;
  }

  /** Edges that exist, whose condition holds; else declared jumps, and the joins of parallel nodes (18, 20, 33, 48). */
  #edgeSelected(event: Extract<RunEvent, { type: 'EdgeSelected' }>, cursor: Cursor, state: RunState): void {
    expect(event.from).toBe(cursor.nodeId);
    const node = this.#node(event.from);
    if (event.edge !== undefined) {
      const edge = node.edges.find(({ index }) => index === event.edge);
      expect(edge).toMatchObject({
        from: event.from,
        to: event.to,
        loopRestart: event.loop_restart === true,
      });
      expect(node.parallel).toBeUndefined();
      const outcome = cursor.routedOutcome;
      if (edge?.condition === undefined || outcome === undefined) return;
      expect(evaluateCondition(edge.condition, conditionScope(cursor, outcome))).toBe(true);
      return;
    }
    if (event.reason === 'join') return expect(event.to).toBe(node.parallel?.joinId);
    expect(event.to).not.toBe(this.#program.exitId);
    const gate = event.reason === 'goal_gate' ? this.#node(event.gate ?? '') : undefined;
    const declared = gate ? [...gate.jumpTargets, ...this.#program.goalGateTargets] : node.jumpTargets;
    expect(declared.map(({ nodeId }) => nodeId)).toContain(event.to);
    if (gate === undefined) return;
    const outcome = state.outcomes.get(gate.id);
    expect(outcome !== undefined && isSuccessful(outcome.status)).toBe(false);
  }

  #stageStarted(event: Extract<RunEvent, { type: 'StageStarted' }>, cursor: Cursor, state: RunState): void {
    const node = this.#node(event.node_id);
    const place = event.branch ?? mainCursor;
    expect(event.node_id).toBe(cursor.nodeId);
    expect(parallelsAround(state, cursor)).not.toContain(node.id);
    expect(event.attempt).toBeLessThanOrEqual(node.retry.maxAttempts);
    if (event.resumed === true || event.attempt > 1) {
      expect(event.index).toBe(this.#open.get(place));
      if (event.resumed !== true) expect(cursor.phase).toBe('waiting');
      return;
    }
    expect(cursor.phase).toBe('arriving');
    expect(this.#open.has(place)).toBe(false);
    expect(event.index).toBe(state.nextIndex);
    expect(event.visit).toBe((state.visits.get(node.id) ?? 0) + 1);
    const line = JSON.stringify([place, node.id]);
    const visits = (this.#visits.get(line) ?? 0) + 1;
    this.#visits.set(line, visits);
    if (!cursor.visitIsExempt) expect(visits).toBeLessThanOrEqual(node.maxVisits ?? Number.POSITIVE_INFINITY);
    const [last, before] = this.#terminal.get(line) ?? [];
    expect(last !== undefined && last === before).toBe(false);
    this.#open.set(place, event.index);
  }

  #stageEnded(
    event: Extract<RunEvent, { type: 'StageCompleted' | 'StageSkipped' | 'StageFailed' }>,
    cursor: Cursor,
  ): void {
    const place = event.branch ?? mainCursor;
    expect([event.node_id, event.index]).toEqual([cursor.nodeId, this.#open.get(place)]);
    if (event.type === 'StageFailed' && event.will_retry) return;
    this.#open.delete(place);
    if (event.type === 'StageSkipped' && event.stopped) return;
    const { status, retryable, failure_reason: reason = '' } = event.outcome;
    const line = JSON.stringify([place, event.node_id]);
    const isTerminal = status === 'fail' && retryable === false;
    this.#terminal.set(line, isTerminal ? [reason, ...(this.#terminal.get(line) ?? [])] : []);
  }

  #branchStarted(event: Extract<RunEvent, { type: 'ParallelBranchStarted' }>, state: RunState): void {
    const parent = cursorFor(state, event.parent);
    expect([parent.nodeId, parent.phase, parent.fork?.next]).toEqual([event.node_id, 'forked', event.index]);
    expect(event.index).toBeLessThan(parent.fork?.count ?? 0);
    const { parallel, edges } = this.#node(event.node_id);
    if (parallel?.foreach === undefined) expect(parent.fork?.count).toBe(edges.length);
    expect(this.#started.has(event.branch)).toBe(false);
    expect(state.pausing).toBeUndefined();
    this.#started.add(event.branch);
  }

  #branchCompleted(event: Extract<RunEvent, { type: 'ParallelBranchCompleted' }>, state: RunState): void {
    expect(this.#started.delete(event.branch)).toBe(true);
    expect(this.#open.has(event.branch)).toBe(false);
    expect([...state.cursors.values()].filter(({ branch }) => branch?.parent === event.branch)).toEqual([]);
    expect(event.success).toBe(isSuccessful(event.status));
  }

  /** The results are those of the branches, in the order of the edges, or of the items (50, 52, 106). */
  #resultsAreThere(nodeId: string, { context }: Cursor): void {
    const { parallel, edges } = this.#node(nodeId);
    if (parallel === undefined || edges.length === 0) return;
    const results = context.get('parallel.results') as readonly { readonly id: string; status: string }[];
    const firsts =
      parallel.foreach === undefined
        ? edges.map(({ to }) => to)
        : Array.from(
            { length: Number(context.get('parallel.items')) },
            (_, index) => `${edges[0]?.to}#${index + 1}`,
          );
    if (parallel.errorPolicy !== 'ignore') return expect(results.map(({ id }) => id)).toEqual(firsts);
    expect(results.filter(({ status }) => status === 'fail')).toEqual([]);
    let next = 0;
    for (const { id } of results) next = firsts.indexOf(id, next) + 1 || Number.NaN;
    expect(next).not.toBeNaN();
  }

  /** The exit is passed only with satisfied goal gates (32). */
  #completed(state: RunState): void {
    for (const gate of this.#program.goalGates) {
      const outcome = state.outcomes.get(gate.id);
      if (outcome === undefined) expect(this.#program.requireGoalGates).toBe(false);
      else expect(isSuccessful(outcome.status)).toBe(true);
    }
  }
}

/** The parallel nodes whose branches a cursor is inside of (48a). */
function parallelsAround(state: RunState, { branch }: Cursor): readonly string[] {
  return branch === undefined
    ? []
    : [branch.parallelId, ...parallelsAround(state, cursorFor(state, branch.parent))];
}

function cursorFor(state: RunState, branch: string | undefined): Cursor {
  const cursor = state.cursors.get(branch ?? mainCursor);
  if (cursor === undefined) throw new Error(`no cursor ${branch}`);
  return cursor;
}
