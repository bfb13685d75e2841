import type { Program } from '../graph/program.js';
import type { SeenStage, SeenStages } from '../graph/values/seen-stages.js';
import type { CursorDraft } from './draft.js';
import type { Outcome } from './outcome.js';
import type { Cursor, OwnStages } from './state.js';

// Remembers by name what stages said (SEMANTICS 104). A branch begins with the stages that its parent sees, of which it shares
// the map; a node that nothing reads by its name costs nothing.

/** Stages that the values and conditions of a cursor see. */
export function stagesSeenBy({ stages, branchStages }: Pick<Cursor, 'stages' | 'branchStages'>): SeenStages {
  return { get: (id, branch) => (branch === undefined ? stages : branchStages[branch])?.get(id) };
}

/** A visit begins, which counts as soon as it has. */
export function noteVisit(program: Program, cursor: CursorDraft): void {
  const { nodeId, lineVisit } = cursor;
  if (!program.stagesRead.has(nodeId)) return;
  cursor.stages = cursor.stages.set(nodeId, {
    visits: lineVisit,
    settled: cursor.stages.get(nodeId)?.settled,
  });
}

/**
 * A visit has ended.
 * @param outcome its own, or of a diamond the one that it passed on
 */
export function noteSettled(program: Program, cursor: CursorDraft, outcome: Outcome | undefined): void {
  const { nodeId } = cursor;
  if (outcome === undefined || !program.stagesRead.has(nodeId)) return;
  cursor.stages = cursor.stages.set(nodeId, settledStage(cursor, outcome));
}

/** Stage at which a cursor is, as if its visit had ended. */
export function settledStage({ lineVisit, attempt }: Cursor, outcome: Outcome): SeenStage {
  return { visits: lineVisit, settled: { outcome, retries: attempt - 1 } };
}

/** Stages that a branch has executed itself; undefined where nothing reads any. */
export function ownStages(program: Program, parent: Cursor, { stages }: Cursor): OwnStages | undefined {
  if (program.stagesRead.size === 0) return undefined;
  const own = new Map<string, SeenStage>();
  for (const id of program.stagesRead) {
    const seen = stages.get(id);
    if (seen !== undefined && seen !== parent.stages.get(id)) own.set(id, seen);
  }
  return own.size === 0 ? undefined : own;
}

const none: OwnStages = new Map();

/**
 * Branches have joined: the stages that only one of them can execute are seen from now on, and those of all of them by the
 * index of the branch.
 * @param indices branches in the order of `parallel.results`
 */
export function joinStages(program: Program, cursor: CursorDraft, indices: readonly number[]): void {
  const { nodeId, fork } = cursor;
  if (fork === undefined || program.stagesRead.size === 0) return;
  cursor.branchStages = indices.map((index) => fork.stages.get(index) ?? none);
  const shared = program.nodes.get(nodeId)?.parallel?.sharedNodes;
  for (const [, own] of fork.stages) {
    for (const [id, seen] of own) if (shared?.has(id) !== true) cursor.stages = cursor.stages.set(id, seen);
  }
}
