import type { JsonValue } from '../../graph/json.js';
import { type Cursor, mainCursor, type RunState } from '../../machine/state.js';

export interface ContextChange {
  readonly key: string;
  /** Undefined where it was not there. */
  readonly before: JsonValue | undefined;
  /** Undefined where it is gone. */
  readonly after: JsonValue | undefined;
}

/**
 * Changes of a cursor's context between two states (§5.1), by key; of the main line if the cursor has
 * ended.
 */
export function contextChanges(
  before: RunState,
  after: RunState,
  cursorId: string,
): readonly ContextChange[] {
  const id = after.cursors.has(cursorId) ? cursorId : mainCursor;
  const now = after.cursors.get(id)?.context;
  if (now === undefined) return [];
  const then = originOf(before, after.cursors.get(id))?.context;
  const changes: ContextChange[] = [];
  for (const [key, value] of now) {
    const old = then?.get(key);
    if (!isSame(old, value)) changes.push({ key, before: old, after: value });
  }
  for (const [key, value] of then ?? []) {
    if (!now.has(key)) changes.push({ key, before: value, after: undefined });
  }
  return changes.sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** A branch that has begun meanwhile has its context from the line that it comes from. */
function originOf(before: RunState, cursor: Cursor | undefined): Cursor | undefined {
  if (cursor === undefined) return undefined;
  return before.cursors.get(cursor.id) ?? before.cursors.get(cursor.branch?.parent ?? mainCursor);
}

function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
