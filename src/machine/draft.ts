import { type Cursor, type Fork, mainCursor, type RunState } from './state.js';

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/**
 * A state in the making, owned by whoever thawed it: its members are replaced, so that an event costs little. A cursor or a map that
 * was read stays as it was. Only `path` and `completed` grow in place until `freeze`: copy what must outlive the next event.
 */
export interface Draft extends Writable<Omit<RunState, 'cursors'>> {
  readonly cursors: Map<string, Cursor>;
}

export type CursorDraft = Writable<Cursor>;

export type ForkDraft = Writable<Fork>;

/** A copy of a state that may be changed; the state itself stays as it is. */
export function thaw(state: RunState): Draft {
  const { path, completed } = state;
  return {
    ...state,
    cursors: new Map(state.cursors),
    path: path.asMutable(),
    completed: completed.asMutable(),
  };
}

/** Ends the changing of a draft, which is a state from then on. */
export function freeze(draft: Draft): RunState {
  draft.path = draft.path.asImmutable();
  draft.completed = draft.completed.asImmutable();
  return draft;
}

/**
 * The cursor of a branch, or of what runs outside of all of them, as a copy that the event in hand may change.
 * @throws Error where there is none
 */
export function changeCursor(draft: Draft, branch: string | undefined): CursorDraft {
  const id = branch ?? mainCursor;
  const cursor = draft.cursors.get(id);
  if (cursor === undefined) throw new Error(`the run has no branch "${branch ?? 'main'}"`);
  const copy = { ...cursor };
  draft.cursors.set(id, copy);
  return copy;
}
