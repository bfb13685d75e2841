import { isRecord, type JsonValue } from '../../graph/json.js';
import type { FileEdit } from '../../machine/progress.js';
import { type LineChange, lineChanges, nearChanges } from './line-changes.js';

/** Line of a shown edit; a gap is in place of unchanged lines. */
export type EditLine = LineChange | { readonly sign: 'gap'; readonly text: '' };

/** Edit of a file as its lines. */
export interface ShownEdit {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  /** Changed lines with their context; at most `linesShown`. */
  readonly lines: readonly EditLine[];
  /** Number of further lines. */
  readonly more: number;
}

const contextLines = 3;
const linesShown = 400;

export function shownEdit({ path, before, after }: FileEdit): ShownEdit {
  const changes = lineChanges(linesOf(before ?? ''), linesOf(after));
  const near = nearChanges(changes, contextLines);
  const lines: EditLine[] = [];
  for (const [index, change] of changes.entries()) {
    if (near.has(index)) lines.push(change);
    else if (lines.at(-1)?.sign !== 'gap') lines.push({ sign: 'gap', text: '' });
  }
  if (lines.at(-1)?.sign === 'gap') lines.pop();
  if (lines[0]?.sign === 'gap') lines.shift();
  const count = (sign: LineChange['sign']): number => changes.filter((change) => change.sign === sign).length;
  const shown = lines.slice(0, linesShown);
  return { path, added: count('+'), removed: count('-'), lines: shown, more: lines.length - shown.length };
}

/** A text without its last line break; an empty text has none. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}

const pathKeys = ['path', 'file_path', 'filePath', 'filename', 'file'];
const beforeKeys = ['old_text', 'old_string', 'oldString', 'oldText'];
const afterKeys = ['new_text', 'new_string', 'newString', 'newText'];

/** Edits in the input of a tool call, in the forms of our tools and of the usual agents; none in another one. */
export function editsInInput(input: JsonValue): readonly FileEdit[] {
  if (!isRecord(input)) return [];
  const path = textIn(input, pathKeys);
  if (path === undefined) return [];
  // Several edits of one file.
  if (Array.isArray(input.edits))
    return input.edits.flatMap((edit) => (isRecord(edit) ? (editIn(path, edit) ?? []) : []));
  const content = textIn(input, ['content']);
  return [
    editIn(path, input) ?? (content === undefined ? [] : { path, before: null, after: content }),
  ].flat();
}

function editIn(path: string, fields: Readonly<Record<string, unknown>>): FileEdit | undefined {
  const [before, after] = [textIn(fields, beforeKeys), textIn(fields, afterKeys)];
  return before === undefined || after === undefined ? undefined : { path, before, after };
}

function textIn(fields: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  const texts = names.map((name) => fields[name]);
  return texts.find((text) => typeof text === 'string');
}
