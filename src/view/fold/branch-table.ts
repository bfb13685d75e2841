import type { JsonValue } from '../../graph/json.js';
import type { StageStatus } from '../../graph/stage-status.js';
import { headOf } from '../cut-text.js';

/** Branches of a visit to a parallel node, also after it has settled; those of a `foreach` with their items. */
export interface BranchTable {
  readonly count: number;
  /** Undefined for branches of edges. */
  readonly items: readonly JsonValue[] | undefined;
  /** Rows of the branches that have begun, by the index of the branch. */
  readonly rows: (BranchRow | undefined)[];
}

export interface BranchRow {
  readonly branch: string;
  readonly index: number;
  state: 'running' | StageStatus;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  durationMs: number | undefined;
  /** What its latest stage gave, or why it failed, in a line. */
  result: string;
  /** Stage that has settled last in it, and its visit. */
  at: { readonly nodeId: string; readonly visit: number } | undefined;
}

/** Item of a branch in a line; its name, if it has no item. */
export function itemText(
  { items }: BranchTable,
  { index, branch }: Pick<BranchRow, 'index' | 'branch'>,
): string {
  const item = items?.[index];
  return item === undefined ? branch : oneLine(textOf(item));
}

/** Value in a line of text. */
export function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Beginning of a text on one line. */
export function oneLine(text: string): string {
  return headOf(
    text
      .slice(0, resultKept * 4)
      .replaceAll(/\s+/g, ' ')
      .trim(),
    resultKept,
  );
}

/** Characters of a result. */
const resultKept = 300;

/** Number of branches in each state, and of those that have not begun. */
export function countBranches({
  count,
  rows,
}: BranchTable): ReadonlyMap<BranchRow['state'] | 'waiting', number> {
  const counts = new Map<BranchRow['state'] | 'waiting', number>();
  for (let index = 0; index < count; index += 1) {
    const state = rows[index]?.state ?? 'waiting';
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return counts;
}
