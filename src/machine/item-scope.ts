import type { JsonValue } from '../graph/json.js';
import { itemIndexKey } from '../graph/parallel.js';
import type { ProgramNode } from '../graph/program.js';
import { addInputs } from './context.js';
import type { Outcome } from './outcome.js';
import type { Cursor } from './state.js';

/** Context values that a branch has from the items around it, which no stage can change (SEMANTICS 106). */
export type ItemScope = ReadonlyMap<string, JsonValue>;

/** Scope of a branch: that of the branch around it, and its own item. */
export function itemScope(
  node: ProgramNode | undefined,
  items: readonly JsonValue[] | undefined,
  index: number,
  around: ItemScope | undefined,
): ItemScope | undefined {
  const foreach = node?.parallel?.foreach;
  if (foreach === undefined || items === undefined) return around;
  return new Map([...(around ?? []), [foreach.as, items[index] ?? null], [itemIndexKey, index]]);
}

type Values = Cursor['context'];

export function withItems(context: Values, scope: ItemScope | undefined): Values {
  if (scope === undefined) return context;
  return context.withMutations((values) => {
    for (const [key, value] of scope) values.set(key, value);
  });
}

/** Context of a cursor with inputs that are given when the run is resumed; an item overrides an input of its name. */
export function addInputsInBranch(
  { context, branch }: Pick<Cursor, 'context' | 'branch'>,
  inputs: Readonly<Record<string, JsonValue>>,
): Values {
  return withItems(addInputs(context, inputs), branch?.scope);
}

/** Outcome without updates to the items around a branch; `warn` is called with their names. */
export function withoutItemUpdates(
  { branch, nodeId }: Cursor,
  outcome: Outcome,
  warn: (message: string) => void,
): Outcome {
  const { context_updates, assigned } = outcome;
  const scope = branch?.scope;
  if (scope === undefined || (context_updates === undefined && assigned === undefined)) return outcome;
  const refused = Object.keys({ ...context_updates, ...assigned }).filter((key) => isItemKey(key, scope));
  if (refused.length === 0) return outcome;
  const names = refused.map((key) => `"${key}"`).join(', ');
  warn(`"${nodeId}" sets ${names}, but no stage can change the item of its branch; the update is ignored`);
  return {
    ...outcome,
    context_updates: context_updates && withoutItems(context_updates, scope),
    assigned: assigned && withoutItems(assigned, scope),
  };
}

function withoutItems<Value>(
  values: Readonly<Record<string, Value>>,
  scope: ItemScope,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isItemKey(key, scope)));
}

/** True for the key of an item, and for keys below it. */
function isItemKey(key: string, scope: ItemScope): boolean {
  if (scope.has(key)) return true;
  for (const own of scope.keys()) if (key.startsWith(`${own}.`)) return true;
  return false;
}
