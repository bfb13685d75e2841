import type { Span } from '../../diagnostic/source.js';
import type { KeyEntry, KeyListParseResult, ValueType } from '../../parser/key-list/ast.js';
import { isKey } from '../../parser/key-list/check-entry.js';
import { parseKeyList } from '../../parser/key-list/parse.js';
import { describeType } from '../../parser/key-list/value-type.js';
import type { Attribute } from '../graph.js';
import { perObject } from '../per-object.js';

export type { KeyEntry, ValueType };
export { describeType, isKey };

/** Context key in a list such as `reads="plan, score"`, with its position in the text of the value. */
export interface ListedKey {
  readonly key: string;
  readonly span: Span;
}

/** The attributes of nodes whose values are lists of keys (SEMANTICS 100); a graph has `inputs`. */
export const keyListAttributes = ['reads', 'writes'] as const;

/** List of keys in an attribute (SEMANTICS 100), parsed once. */
export const keyListOf = perObject(({ value }: Attribute): KeyListParseResult => parseKeyList(String(value)));

/** Keys of a `reads` or `writes` attribute, without an optional `context.`; none if the list has an error. */
export function listedKeys(attribute: Attribute | undefined): readonly ListedKey[] {
  return attribute === undefined ? [] : keysListedIn(attribute);
}

const keysListedIn = perObject((attribute: Attribute): readonly ListedKey[] =>
  (keyListOf(attribute).list?.entries ?? []).map(({ key, keySpan }) => ({ key, span: keySpan })),
);

/** Context key that a path asks for (SEMANTICS §12 "Lookup of a key"). */
export function contextKey(path: string): string {
  if (path.startsWith('context.')) return path.slice('context.'.length);
  return path.startsWith('state.') ? path.slice('state.'.length) : path;
}

/** True if a path asks for a key or for a part of its value, or a key is below the path. */
export function keysOverlap(path: string, key: string): boolean {
  if (path.length === key.length) return path === key;
  const [short, long] = path.length < key.length ? [path, key] : [key, path];
  return long.startsWith(short) && long[short.length] === '.';
}
