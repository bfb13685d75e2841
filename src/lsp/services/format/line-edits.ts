import { diffLines } from 'diff';
import type { TextEdit } from '../../../diagnostic/diagnostic.js';

/** The smallest edits of whole lines that make one text of another, so that an editor keeps its cursor and folds. */
export function lineEdits(before: string, after: string): readonly TextEdit[] {
  if (before === after) return [];
  const edits: TextEdit[] = [];
  let offset = 0;
  let open: { readonly start: number; readonly text: string } | undefined;
  const close = (): void => {
    if (open !== undefined) edits.push({ span: { start: open.start, end: offset }, text: open.text });
    open = undefined;
  };
  for (const { value, added, removed } of diffLines(before, after)) {
    if (added) open = { start: open?.start ?? offset, text: (open?.text ?? '') + value };
    else if (removed) {
      open ??= { start: offset, text: '' };
      offset += value.length;
    } else {
      close();
      offset += value.length;
    }
  }
  close();
  return edits;
}
