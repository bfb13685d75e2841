import type { Span } from '../../diagnostic/source.js';
import type { KeyListParseResult } from '../../parser/key-list/ast.js';
import { parseKeyList } from '../../parser/key-list/parse.js';
import type { Attribute } from '../graph.js';
import { perObject } from '../per-object.js';

/** A context key in a list such as `reads="plan, score"`, and its place in the text of the value. */
export interface ListedKey {
  readonly key: string;
  readonly span: Span;
}

/** The attributes whose values are lists of keys (SEMANTICS 100). */
export const keyListAttributes = ['reads', 'writes'] as const;

/** The list of keys that an attribute holds (SEMANTICS 100), parsed once. */
export const keyListOf = perObject(({ value }: Attribute): KeyListParseResult => parseKeyList(String(value)));

/** The keys of a `reads` or `writes` attribute, without the `context.` that may stand before them; none where the list has an error. */
export function listedKeys(attribute: Attribute | undefined): readonly ListedKey[] {
  return attribute === undefined ? [] : keysListedIn(attribute);
}

const keysListedIn = perObject((attribute: Attribute): readonly ListedKey[] =>
  (keyListOf(attribute).list?.entries ?? []).map(({ key, keySpan }) => ({ key, span: keySpan })),
);

/** The key of the context that a path asks for (SEMANTICS §12 "Lookup of a key"). */
export function contextKey(path: string): string {
  if (path.startsWith('context.')) return path.slice('context.'.length);
  return path.startsWith('state.') ? path.slice('state.'.length) : path;
}

/** Whether a path asks for a key, or for a part of its value; and the other way round, for keys below it. */
export function concerns(path: string, key: string): boolean {
  if (path.length === key.length) return path === key;
  const [short, long] = path.length < key.length ? [path, key] : [key, path];
  return long.startsWith(short) && long[short.length] === '.';
}
