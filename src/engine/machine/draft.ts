import { frozen, thawed } from './persistent.js';
import type { Cursor, RunState } from './state.js';

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A state in the making: changed in place, so that a step costs little, and owned by whoever thawed it. */
export interface Draft extends Writable<Omit<RunState, 'cursors'>> {
  readonly cursors: Map<string, CursorDraft>;
}

export type CursorDraft = Writable<Cursor>;

/** The collections that grow with the run; they are shared with the original until they are changed. */
const collections = [
  'path',
  'completed',
  'outcomes',
  'statuses',
  'retries',
  'visits',
  'executions',
  'answers',
  'terminalFailures',
  'failedBranches',
  'artifacts',
  'logs',
] as const satisfies readonly (keyof RunState)[];

/** A copy of a state that may be changed in place; the state itself stays as it is. */
export function thaw(state: RunState): Draft {
  const cursors = new Map<string, CursorDraft>();
  for (const [id, cursor] of state.cursors) cursors.set(id, { ...cursor });
  const draft: Draft = { ...state, cursors };
  for (const name of collections) mapCollection(draft, name, thawed);
  return draft;
}

/** Ends the changing of a draft, which is a state from then on. */
export function freeze(draft: Draft): RunState {
  for (const name of collections) mapCollection(draft, name, frozen);
  return draft;
}

function mapCollection<Name extends (typeof collections)[number]>(
  draft: Draft,
  name: Name,
  change: <Collection>(collection: Collection) => Collection,
): void {
  draft[name] = change(draft[name]);
}
