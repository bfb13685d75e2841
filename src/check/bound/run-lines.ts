import { perObject } from '../../graph/per-object.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { conditionSet } from '../../lint/conditions/condition-set.js';
import { allOf, negated } from '../../lint/conditions/formula.js';
import { isNever } from '../../lint/conditions/is-never.js';

/** Move of control from one node of a line to another. */
export interface Move {
  readonly from: string;
  readonly to: string;
  /** `goal_gate`: back from the end of the run; `restart`: over an edge with `loop_restart`. */
  readonly kind: 'edge' | 'jump' | 'join' | 'goal_gate' | 'restart';
}

/** Line of control with all that it may do: the main line, or the branches of a parallel node that begin with one edge. */
export interface Line {
  /** The parallel node around it; undefined for the main line. */
  readonly fork: { readonly line: Line; readonly node: ProgramNode } | undefined;
  readonly first: string;
  /** Nodes that it may visit; no others of the program. */
  readonly nodes: ReadonlySet<string>;
  readonly moves: readonly Move[];
}

/** Lines after which nested parallel nodes are no longer followed. */
const mostLines = 400;

/**
 * All lines of a program, each after the one around it (SEMANTICS 48). Conditions count only where they take every failure, so that a
 * line can do at least what a run can.
 * @returns undefined for parallel nodes that are nested too deep
 */
export function runLines(program: Program): readonly Line[] | undefined {
  const lines = [lineFrom(program, undefined, program.startId)];
  for (const line of lines) {
    for (const id of line.nodes) {
      const node = program.nodes.get(id);
      if (node?.parallel === undefined) continue;
      for (const { to } of branchEdges(node)) {
        const branch = lineFrom(program, { line, node }, to);
        if (branch.nodes.size > 0) lines.push(branch);
      }
      if (lines.length > mostLines) return undefined;
    }
  }
  return lines;
}

/** Edges that begin branches: all of them, or the only one of a list. */
function branchEdges({ edges, parallel }: ProgramNode): ProgramNode['edges'] {
  return parallel?.foreach === undefined ? edges : edges.slice(0, 1);
}

function lineFrom(program: Program, fork: Line['fork'], first: string): Line {
  const ends = endsOf(program, fork);
  const nodes = new Set(ends.has(first) ? [] : [first]);
  const moves: Move[] = [];
  for (const id of nodes) {
    for (const move of movesFrom(program, id, fork === undefined)) {
      if (!program.nodes.has(move.to) || ends.has(move.to)) continue;
      moves.push(move);
      nodes.add(move.to);
    }
  }
  return { fork, first, nodes, moves };
}

/** Nodes at which a branch ends: the exit, the joins around it, and the parallel nodes that it is inside of (SEMANTICS 48, 48a). */
function endsOf(program: Program, fork: Line['fork']): ReadonlySet<string> {
  const ends = new Set<string>();
  for (let around = fork; around !== undefined; around = around.line.fork) {
    ends.add(program.exitId);
    ends.add(around.node.id);
    if (around.node.parallel !== undefined) ends.add(around.node.parallel.joinId);
  }
  return ends;
}

function* movesFrom(program: Program, id: string, isMain: boolean): Iterable<Move> {
  const node = program.nodes.get(id);
  if (node === undefined) return;
  if (id === program.exitId || node.edges.length === 0) {
    if (isMain) for (const to of gateTargets(program)) yield { from: id, to, kind: 'goal_gate' };
    if (id === program.exitId) return;
  }
  for (const { nodeId } of jumpsOf(node))
    if (nodeId !== program.exitId) yield { from: id, to: nodeId, kind: 'jump' };
  if (node.parallel !== undefined) {
    yield { from: id, to: node.parallel.joinId, kind: 'join' };
    return;
  }
  for (const { to, loopRestart } of node.edges) {
    // A branch cannot restart the pipeline.
    if (!loopRestart) yield { from: id, to, kind: 'edge' };
    else if (isMain) yield { from: id, to, kind: 'restart' };
  }
}

/** Retry targets to which a failure may go: none where a condition holds after any failure (SEMANTICS 20). */
const jumpsOf = perObject(({ parallel, edges, jumpTargets }: ProgramNode): ProgramNode['jumpTargets'] => {
  // The edges of a parallel node begin branches.
  if (parallel !== undefined || jumpTargets.length === 0) return jumpTargets;
  const conditions = edges.flatMap(({ condition }) => condition ?? []);
  const set = conditions.length === 0 ? undefined : conditionSet(conditions, new Map());
  const takesAll = set !== undefined && isNever(set, allOf(set.formulas.map(negated)), new Set(['fail']));
  return takesAll ? [] : jumpTargets;
});

/** Nodes to which an unsatisfied goal gate may send the run back (§3.4). */
function gateTargets({ goalGates, goalGateTargets, exitId }: Program): ReadonlySet<string> {
  if (goalGates.length === 0) return new Set();
  const targets = [...goalGates.flatMap(({ jumpTargets }) => jumpTargets), ...goalGateTargets];
  return new Set(targets.map(({ nodeId }) => nodeId).filter((id) => id !== exitId));
}
