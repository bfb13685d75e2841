import { frozenList, frozenMap, thawedList, thawedMap } from './persistent.js';
import { type Cursor, type Fork, mainCursor, type RunState } from './state.js';

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A state in the making: changed in place, so that a step costs little, and owned by whoever thawed it. */
export interface Draft extends Writable<Omit<RunState, 'cursors'>> {
  readonly cursors: Map<string, CursorDraft>;
}

export interface CursorDraft extends Writable<Omit<Cursor, 'fork'>> {
  fork: ForkDraft | undefined;
}

export type ForkDraft = Writable<Fork>;

/** A copy of a state that may be changed in place; the state itself stays as it is. */
export function thaw(state: RunState): Draft {
  const cursors = new Map<string, CursorDraft>();
  for (const [id, cursor] of state.cursors) {
    const { fork } = cursor;
    cursors.set(id, { ...cursor, fork: fork && { ...fork, results: thawedMap(fork.results) } });
  }
  return {
    ...state,
    cursors,
    path: thawedList(state.path),
    completed: thawedList(state.completed),
    logs: thawedList(state.logs),
    outcomes: thawedMap(state.outcomes),
    statuses: thawedMap(state.statuses),
    retries: thawedMap(state.retries),
    visits: thawedMap(state.visits),
    executions: thawedMap(state.executions),
    answers: thawedMap(state.answers),
    terminalFailures: thawedMap(state.terminalFailures),
    failedBranches: thawedMap(state.failedBranches),
    artifacts: thawedMap(state.artifacts),
    usage: thawedMap(state.usage),
    childUsage: thawedMap(state.childUsage),
    unpricedModels: thawedMap(state.unpricedModels),
    filesBefore: thawedMap(state.filesBefore),
    sessions: thawedMap(state.sessions),
  };
}

/** Ends the changing of a draft, which is a state from then on. */
export function freeze(draft: Draft): RunState {
  for (const { fork } of draft.cursors.values()) {
    if (fork !== undefined) fork.results = frozenMap(fork.results);
  }
  draft.path = frozenList(draft.path);
  draft.completed = frozenList(draft.completed);
  draft.logs = frozenList(draft.logs);
  draft.outcomes = frozenMap(draft.outcomes);
  draft.statuses = frozenMap(draft.statuses);
  draft.retries = frozenMap(draft.retries);
  draft.visits = frozenMap(draft.visits);
  draft.executions = frozenMap(draft.executions);
  draft.answers = frozenMap(draft.answers);
  draft.terminalFailures = frozenMap(draft.terminalFailures);
  draft.failedBranches = frozenMap(draft.failedBranches);
  draft.artifacts = frozenMap(draft.artifacts);
  draft.usage = frozenMap(draft.usage);
  draft.childUsage = frozenMap(draft.childUsage);
  draft.unpricedModels = frozenMap(draft.unpricedModels);
  draft.filesBefore = frozenMap(draft.filesBefore);
  draft.sessions = frozenMap(draft.sessions);
  return draft;
}

/** The cursor of a branch, or of what runs outside of all of them. @throws Error where there is none */
export function cursorOf(draft: Draft, branch: string | undefined): CursorDraft {
  const cursor = draft.cursors.get(branch ?? mainCursor);
  if (cursor === undefined) throw new Error(`the run has no branch "${branch ?? 'main'}"`);
  return cursor;
}
