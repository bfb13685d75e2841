import { isRecord, type JsonValue } from '../json.js';
import type { ConflictPolicy } from '../parallel.js';
import { bytesPutAside } from '../unreadable-value.js';
import { isAuthorsKey } from './handler-keys.js';

type Values = Readonly<Record<string, JsonValue>>;

/** Values that a branch has set. */
export interface BranchValues {
  readonly branch: string;
  readonly values: Values;
}

/** Key that two branches have set to different values. */
export interface ValueConflict {
  readonly key: string;
  readonly branches: readonly [string, string];
  /** True if both are artifacts, at least in part: then nothing shows that they are equal (SEMANTICS 110). */
  readonly isPutAside: boolean;
}

/** Origin of a merged value. */
export interface MergeOrigin {
  /** Branch of the value; the first one if all are equal. */
  readonly branch: string;
  /** Number of branches that set the key. */
  readonly count: number;
}

export interface MergedValues {
  readonly values: Values;
  /** By key. */
  readonly origins: ReadonlyMap<string, MergeOrigin>;
  /** First conflict, under the policy `error`: then nothing is merged. */
  readonly conflict: ValueConflict | undefined;
}

const nothing: MergedValues = { values: {}, origins: new Map(), conflict: undefined };

/**
 * Values of branches together (SEMANTICS 107): the keys of authors, of handlers none. The order of the
 * branches decides, not the order in which they end.
 */
export function mergeValues(branches: Iterable<BranchValues>, policy: ConflictPolicy): MergedValues {
  if (policy === 'isolate') return nothing;
  const merged = new Map<string, JsonValue>();
  const origins = new Map<string, { branch: string; count: number }>();
  for (const { branch, values } of branches) {
    for (const [key, value] of Object.entries(values)) {
      const origin = origins.get(key);
      if (origin === undefined) {
        if (!isAuthorsKey(key)) continue;
        origins.set(key, { branch, count: 1 });
        merged.set(key, value);
        continue;
      }
      origin.count += 1;
      if (policy === 'last_wins') {
        origin.branch = branch;
        merged.set(key, value);
      } else if (policy === 'error') {
        const other = merged.get(key) ?? null;
        if (isSameJson(other, value)) continue;
        const isPutAside = [other, value].every((one) => bytesPutAside(one) !== undefined);
        return { ...nothing, conflict: { key, branches: [origin.branch, branch], isPutAside } };
      }
    }
  }
  return { values: Object.fromEntries(merged), origins, conflict: undefined };
}

/** True for equal values; the order of the members of a map does not matter. */
function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    return one.every((member, index) => isSameJson(member, other[index]));
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isSameJson(one[key], other[key]));
}
