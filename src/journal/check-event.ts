import { isEventType } from '../machine/event.js';
import { type Check, compileCheck } from './compile-check.js';
import { eventSchemas } from './event-schemas.js';

/** Checks by type, compiled when the first event of the type is read. */
const checks = new Map<string, Check>();

/**
 * Describes the problem of an event read from a journal (§9.6, DESIGN §4); undefined for a sound one. An
 * unknown field counts as damage, as an unknown type does: the state is the fold of all fields of the
 * events, and a version that left some out would compute another one.
 */
export function eventProblem(event: object): string | undefined {
  const { type } = event as { readonly type?: unknown };
  if (type === undefined) return 'it has no type';
  if (!isEventType(type)) return `its type ${JSON.stringify(type)} is unknown to this version`;
  let check = checks.get(type);
  if (check === undefined) {
    check = compileCheck(eventSchemas()[type]);
    checks.set(type, check);
  }
  const problem = check(event);
  return problem && `its field \`${problem.path.join('.')}\` ${problem.message}`;
}
