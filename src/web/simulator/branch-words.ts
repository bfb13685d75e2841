import { itemIndexKey } from '../../graph/parallel.js';
import { mainCursor, type RunState } from '../../machine/state.js';
import { oneLine, textOf } from '../../view/fold/branch-table.js';

/** Branch of a cursor in words, with the items that it works on (SEMANTICS 106); empty for the main line. */
export function branchWords({ cursors }: Pick<RunState, 'cursors'>, cursor: string): string {
  if (cursor === mainCursor) return '';
  const items = [...(cursors.get(cursor)?.branch?.scope ?? [])].filter(([key]) => key !== itemIndexKey);
  return [`branch ${cursor}`, ...items.map(([key, item]) => `${key}: ${oneLine(textOf(item))}`)].join(' · ');
}
