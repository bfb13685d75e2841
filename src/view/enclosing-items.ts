import { itemText } from './fold/branch-table.js';
import type { RunView } from './fold/run-view.js';

/** Item of a list that a branch works on. */
export interface EnclosingItem {
  /** Position in the list, from 1. */
  readonly number: number;
  /** Length of the list. */
  readonly count: number;
  /** Beginning of the item, in a line. */
  readonly text: string;
}

/** Items that a branch is about, of the lists around it (SEMANTICS 106), the outermost first. @param view with branches in its scope */
export function enclosingItems(
  { origins, current }: Pick<RunView, 'origins' | 'current'>,
  branch: string,
): readonly EnclosingItem[] {
  const origin = origins.get(branch)?.branch;
  if (origin === undefined) return [];
  const { parent, index } = origin;
  const around = enclosingItems({ origins, current }, parent);
  const table = current.get(parent)?.branches;
  if (table?.items === undefined) return around;
  return [...around, { number: index + 1, count: table.count, text: itemText(table, { index, branch }) }];
}

/** Numbers of the items in the name of a branch, as in `#3`; the outermost first, as in `#1.3` for a list in a list. */
export function itemsOf(branch = ''): string {
  const numbers = [...branch.matchAll(/#(\d+)(?=\/|$)/g)].map(([, number]) => number);
  return numbers.length === 0 ? '' : `#${numbers.join('.')}`;
}
