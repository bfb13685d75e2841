import type { JsonValue } from '../graph/json.js';
import { isList, lookUp } from '../graph/look-up.js';
import { type Foreach, mostItems } from '../graph/parallel.js';
import { foundText } from '../graph/values/found-text.js';
import { failure, type Outcome } from '../machine/outcome.js';
import type { Stage } from './handler.js';

/** Only item of a list that a simulation does not have (SEMANTICS 106). */
export const simulatedItem = '[Simulated] item';

/** Items of a list that become branches; or the failure of the parallel node, if there is no list. */
export type FoundItems =
  | { readonly kind: 'items'; readonly items: readonly JsonValue[] }
  | { readonly kind: 'failed'; readonly outcome: Outcome };

/**
 * Finds the items of a parallel node with `foreach` (SEMANTICS 106). A text is never a list, whatever is
 * written in it.
 * @param simulates true if stages that do real work are simulated, so that the list may be missing
 */
export function foreachItems(
  { node, context, result, stages }: Pick<Stage, 'node' | 'context' | 'result' | 'stages'>,
  { path, text }: Foreach,
  simulates: boolean,
): FoundItems {
  const scope = { result, stages, lookup: (key: string) => context.get(key) };
  const value = path === undefined ? text : lookUp(path, scope);
  if (value !== undefined && isList(value) && value.length <= mostItems)
    return { kind: 'items', items: value };
  if (simulates && (value === undefined || !isList(value))) return { kind: 'items', items: [simulatedItem] };
  const reason = `"${node.id}" runs a branch for each item of a list, but \`foreach="${text}"\` ${describe(value)}`;
  const outcome = failure(reason, { retryable: false, failure_category: 'terminal' });
  return { kind: 'failed', outcome };
}

function describe(value: JsonValue | undefined): string {
  if (value !== undefined && isList(value))
    return `has ${value.length} items; a run can have ${mostItems} branches of one list: make lists of parts, and start a run or a child pipeline for each`;
  return `${describeOther(value)}; set it to a JSON list, such as ["a", "b"], in an earlier stage or as an input`;
}

function describeOther(value: JsonValue | undefined): string {
  if (value === undefined) return 'has no value';
  if (value === null) return 'is null';
  const kind =
    typeof value === 'string' ? 'the text' : typeof value === 'object' ? 'the map' : `the ${typeof value}`;
  return `is ${kind} ${foundText(value)}`;
}
