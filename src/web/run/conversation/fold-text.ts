import { counted } from '../../../diagnostic/counted.js';
import { headOf } from '../../../view/cut-text.js';

/** Characters of a line that are shown of a long text. */
const longestLine = 1000;

/** The beginning of a text, and how much more there is in words; empty if that is all. */
export function foldText(text: string, lines: number): { readonly head: string; readonly more: string } {
  const all = text.replace(/\n$/, '').split('\n');
  const shown = all.slice(0, lines).map((line) => headOf(line, longestLine));
  const head = shown.join('\n');
  const rest = all.length - lines;
  if (rest > 0) return { head, more: counted(rest, 'more line') };
  const left = text.length - head.length;
  return { head, more: left > 1 ? counted(left, 'more character') : '' };
}
