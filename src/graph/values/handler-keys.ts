import { type HandlerType, handlerTypeNamed } from '../handler-types.js';
import { keysOverlap } from './key-lists.js';
import { reservedAs } from './written-keys.js';

/**
 * Keys that the handler of a type sets itself (§4.5–4.11, §5.1, SEMANTICS 50, 53, 55a, 59). A dot at the
 * end includes all keys below.
 */
const keysOfHandlers: ReadonlyMap<string, readonly string[]> = new Map([
  ['codergen', ['last_stage', 'last_response']],
  ['tool', ['tool.output', 'tool.stderr', 'tool.last_line', 'tool.exit_code', 'tool.json']],
  ['wait.human', ['human.gate.selected', 'human.gate.label', 'human.gate.target', 'human.gate.text']],
  [
    'parallel',
    ['parallel.results', 'parallel.count', 'parallel.success_count', 'parallel.fail_count', 'parallel.items'],
  ],
  ['parallel.fan_in', ['parallel.fan_in.best_id', 'parallel.fan_in.best_outcome', 'parallel.fan_in.best']],
  ['stack.manager_loop', ['stack.child.']],
  ['pipeline', ['child.']],
]);

/** Keys that handlers set, without those that are only prefixes. */
export const handlerKeys: readonly string[] = [...keysOfHandlers.values()]
  .flat()
  .filter((key) => !key.endsWith('.'));

/** Type of the stages whose handler sets a key; undefined for a key that only authors set. */
export function writingType(key: string): HandlerType | undefined {
  for (const [type, keys] of keysOfHandlers) {
    if (
      keys.some((handlerKey) =>
        handlerKey.endsWith('.')
          ? key.startsWith(handlerKey)
          : keysOverlap(key, handlerKey) && key !== 'tool',
      )
    ) {
      return handlerTypeNamed(type);
    }
  }
  return undefined;
}

/** True for a key that the engine, or every LLM stage or tool, sets again: not a value of the author's. */
export function isRoutineKey(key: string): boolean {
  if (key.startsWith('internal.')) return true;
  const type = writingType(key)?.type;
  return type === 'codergen' || type === 'tool';
}

/** True for a key that only the stages of an author set: neither the engine nor a handler sets it itself (SEMANTICS 107). */
export function isAuthorsKey(key: string): boolean {
  return reservedAs(key) === undefined && writingType(key) === undefined;
}
