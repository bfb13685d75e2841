import type { JsonValue } from './json.js';
import {
  type SaidOutcome,
  type SeenStages,
  type StagePath,
  stagePathOf,
  stageValue,
} from './values/seen-stages.js';
import { isList, isPresent, ownValue, walk } from './values/walk.js';

export { isList, isPresent };

/** Outcome of the stage before, for keys that begin with `result.` (SEMANTICS §12). */
export interface StageResult extends SaidOutcome {
  readonly suggested_next_ids?: readonly string[];
}

/** Names of the fields that `result.` has (SEMANTICS 114), besides the keys that the stage has set. */
export const resultFields = [
  'node',
  'outcome',
  'status',
  'success',
  'preferred_label',
  'suggested_next_ids',
  'context_updates',
  'notes',
  'failure_reason',
  'failure_category',
] as const;

/** Source of keys for conditions (§10.4) and for the values of templates (SEMANTICS §12). */
export interface KeyScope {
  /** Outcome of the stage before, as `result.…`. */
  readonly result?: StageResult;
  /** Stages by their names, as `stages.…` (SEMANTICS 104). */
  readonly stages?: SeenStages;
  /** Id of the stage that has it, as `result.node`. */
  readonly resultNode?: string | undefined;
  /** Context value of exactly this key, undefined if there is none. */
  lookup(key: string): JsonValue | undefined;
}

/**
 * Value of a key (§10.4, SEMANTICS 44c): the flat context key as written, then without its `context.` or
 * `state.`, then the longest flat prefix from which a path into its value exists. `result.` is the stage
 * before: its fields in any case, the keys that it set unless the context has that very key. `null` counts as absent on the
 * way, and is the result only if nothing else is found. A segment `*` is every member of a list (SEMANTICS 105). `stages.`
 * never is the context (SEMANTICS 104).
 */
export function lookUp(key: string, scope: KeyScope): JsonValue | undefined {
  const { inContext, inResult, inStages } = placesOf(key);
  if (inStages !== undefined && scope.stages !== undefined)
    return stageValue(inStages, scope.stages, () => scope.lookup('parallel.results'));
  const fromResult = inResult === undefined ? undefined : resultValue(inResult, scope);
  if (fromResult !== undefined && namesField(inResult)) return fromResult;
  if (isPresent(fromResult)) return scope.lookup(key) ?? fromResult;
  const contextValue = firstFound(inContext, (flat) => scope.lookup(flat));
  return contextValue === undefined ? fromResult : contextValue;
}

/** Flat key, and the path from there into its value. */
interface KeyPath {
  readonly flat: string;
  readonly way: readonly string[];
}

interface KeyPaths {
  readonly inContext: readonly KeyPath[];
  /** Path into the outcome of the stage before, for a key that begins with `result.`. */
  readonly inResult: readonly string[] | undefined;
  readonly inStages: StagePath | undefined;
  readonly around: readonly string[];
}

/** Keys of the values that may contain the one under a key, the innermost first: `a.b` and `a` for `a.b.c`. */
export function keysAround(key: string): readonly string[] {
  return placesOf(key).around;
}

/**
 * Maximum of remembered keys: a pipeline repeats a few, and splitting one takes longer than looking it up.
 */
const remembered = 1000;
const knownPlaces = new Map<string, KeyPaths>();

function placesOf(key: string): KeyPaths {
  const cached = knownPlaces.get(key);
  if (cached !== undefined) return cached;
  const segments = key.split('.');
  const [root, ...rest] = segments;
  const isPrefixed = rest.length > 0 && (root === 'context' || root === 'state');
  const paths = {
    inContext: prefixesOf(segments, isPrefixed ? [0, 1] : [0]),
    inResult: rest.length > 0 && root === 'result' ? rest : undefined,
    inStages: stagePathOf(key),
    around: rest.map((_, index) => segments.slice(0, rest.length - index).join('.')),
  };
  if (knownPlaces.size >= remembered) knownPlaces.clear();
  knownPlaces.set(key, paths);
  return paths;
}

/** Flat keys, the longest first; of the same length, the one as written. */
function prefixesOf(segments: readonly string[], firstSegments: readonly number[]): KeyPath[] {
  const paths: KeyPath[] = [];
  for (let length = segments.length; length > 0; length -= 1) {
    for (const first of firstSegments) {
      if (first >= length) continue;
      paths.push({ flat: segments.slice(first, length).join('.'), way: segments.slice(length) });
    }
  }
  return paths;
}

function firstFound(paths: readonly KeyPath[], lookup: KeyScope['lookup']): JsonValue | undefined {
  let found: JsonValue | undefined;
  for (const { flat, way: segments } of paths) {
    const value = walk(lookup(flat), segments);
    if (isPresent(value)) return value;
    if (value === null) found = null;
  }
  return found;
}

/** True for a path that begins with a field of the outcome: no value of the run takes its place (SEMANTICS 114). */
function namesField([first = '']: readonly string[] = []): boolean {
  const fields: readonly string[] = resultFields;
  return fields.includes(first);
}

/** Field of the outcome, or one of its context updates. A missing field of the outcome counts as empty. */
function resultValue(segments: readonly string[], { result, resultNode }: KeyScope): JsonValue | undefined {
  if (result === undefined) return undefined;
  const [first = '', ...rest] = segments;
  const { context_updates: updates = {}, assigned = {} } = result;
  const lookup = (key: string): JsonValue | undefined => ownValue(assigned, key) ?? ownValue(updates, key);
  if (first === 'context_updates')
    return rest.length === 0 ? updates : firstFound(prefixesOf(rest, [0]), lookup);
  const field = first === 'node' ? (resultNode ?? null) : fieldOf(result, first);
  if (field !== undefined) return walk(field, rest);
  return firstFound(prefixesOf(segments, [0]), lookup);
}

function fieldOf(result: StageResult, name: string): JsonValue | undefined {
  switch (name) {
    case 'outcome':
    case 'status':
      return result.status;
    case 'preferred_label':
      return result.preferred_label ?? null;
    case 'suggested_next_ids':
      return result.suggested_next_ids ?? null;
    case 'notes':
      return result.notes ?? null;
    case 'failure_reason':
      return result.failure_reason ?? null;
    case 'failure_category':
      return result.failure_category ?? null;
    case 'success':
      return result.status !== 'fail' && result.status !== 'retry';
  }
  return undefined;
}

/** Value as text (SEMANTICS 44f): absent and null are empty, lists and maps compact JSON. */
export function textOfValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
