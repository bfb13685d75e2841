import { type Cursor, type Fork, mainCursor, type RunState } from './state.js';

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/**
 * Mutable state, owned by the caller of `thaw`: an event replaces members, which costs little. A cursor or
 * a map that was read stays as it was. Only `path` and `completed` grow in place until `freeze`: copy
 * anything of them that must outlive the next event.
 */
export interface Draft extends Writable<Omit<RunState, 'cursors'>> {
  readonly cursors: Map<string, Cursor>;
}

export type CursorDraft = Writable<Cursor>;

export type ForkDraft = Writable<Fork>;

/** Mutable copy of a state; the state itself stays as it is. */
export function thaw(state: RunState): Draft {
  const { path, completed } = state;
  return {
    ...state,
    cursors: new Map(state.cursors),
    path: path.asMutable(),
    completed: completed.asMutable(),
  };
}

/** Turns a draft into a state; the draft must not be changed any more. */
export function freeze(draft: Draft): RunState {
  draft.path = draft.path.asImmutable();
  draft.completed = draft.completed.asImmutable();
  return draft;
}

/**
 * Replaces the cursor of a branch, or of the main line, by a copy that the current event may change.
 * @throws Error if there is none
 */
export function changeCursor(draft: Draft, branch: string | undefined): CursorDraft {
  const id = branch ?? mainCursor;
  const cursor = draft.cursors.get(id);
  if (cursor === undefined) throw new Error(`the run has no branch "${branch ?? 'main'}"`);
  const copy = copyOf(cursor);
  draft.cursors.set(id, copy);
  return copy;
}

/** Copy of a cursor. Each event makes one: a spread takes several times as long, a sixth of a step that does nothing. */
function copyOf(cursor: Cursor): CursorDraft {
  return {
    id: cursor.id,
    branch: cursor.branch,
    nodeId: cursor.nodeId,
    incomingEdge: cursor.incomingEdge,
    previousNode: cursor.previousNode,
    phase: cursor.phase,
    visit: cursor.visit,
    lineVisit: cursor.lineVisit,
    attempt: cursor.attempt,
    index: cursor.index,
    execution: cursor.execution,
    steps: cursor.steps,
    startedAt: cursor.startedAt,
    context: cursor.context,
    stages: cursor.stages,
    branchStages: cursor.branchStages,
    routedOutcome: cursor.routedOutcome,
    routedFrom: cursor.routedFrom,
    outcome: cursor.outcome,
    waitUntil: cursor.waitUntil,
    retryAfterMs: cursor.retryAfterMs,
    question: cursor.question,
    suspendedReason: cursor.suspendedReason,
    files: cursor.files,
    visitUsage: cursor.visitUsage,
    unpriced: cursor.unpriced,
    reportedBudgets: cursor.reportedBudgets,
    answers: cursor.answers,
    words: cursor.words,
    visitIsExempt: cursor.visitIsExempt,
    items: cursor.items,
    fork: cursor.fork,
    failedFork: cursor.failedFork,
    wasCutOff: cursor.wasCutOff,
    updates: cursor.updates,
    completed: cursor.completed,
    resumedWithoutSession: cursor.resumedWithoutSession,
    fidelity: cursor.fidelity,
    thread: cursor.thread,
  };
}
