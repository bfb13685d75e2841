import { isEventType } from '../machine/event.js';
import { type Check, compileCheck } from './compile-check.js';
import { eventSchemas } from './event-schemas.js';

/** Made when the first event of a type is read. */
const checks = new Map<string, Check>();

/**
 * What is wrong with an event that was read from a journal (§9.6, DESIGN §4); undefined for a sound one. An unknown field
 * counts as damage, as an unknown type does: the state is the fold of all that the events say, and a version that leaves
 * out what it does not understand would compute another one.
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
