import type { ProgramNode } from '../../graph/program.js';
import { isSetByEngine } from '../../graph/values/written-keys.js';
import type { Outcome } from '../../machine/outcome.js';

/**
 * Outcome without updates to keys of the engine and of other kinds of handlers, whatever a program, a model or a script says: conditions
 * and proofs rely on those (SEMANTICS 102). `warn` is called with their names.
 */
export function withOwnUpdates(
  { id, handler: { type, ownKeys } }: ProgramNode,
  outcome: Outcome,
  warn: (message: string) => void,
): Outcome {
  const { context_updates: updates = {} } = outcome;
  const isOwn = (key: string): boolean =>
    !isSetByEngine(key) || ownKeys.some((beginning) => key.startsWith(beginning));
  const refused = Object.keys(updates).filter((key) => !isOwn(key));
  if (refused.length === 0) return outcome;
  const names = refused.map((key) => `"${key}"`).join(', ');
  warn(`"${id}" sets ${names}, which no stage of type ${type} can set; the update is ignored`);
  return {
    ...outcome,
    context_updates: Object.fromEntries(Object.entries(updates).filter(([key]) => isOwn(key))),
  };
}
