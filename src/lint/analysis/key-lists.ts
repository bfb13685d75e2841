import type { Span } from '../../diagnostic/source.js';
import type { Attribute } from '../../graph/graph.js';
import { perObject } from '../../graph/per-object.js';

/** A context key in a list such as `reads="plan, score"`, and its place in the text of the value. */
export interface ListedKey {
  readonly key: string;
  readonly span: Span;
}

/** The keys of a `reads` or `writes` attribute (SEMANTICS §12), without the `context.` that a condition may put before them. */
export function listedKeys(attribute: Attribute | undefined): readonly ListedKey[] {
  return attribute === undefined ? [] : keysListedIn(attribute);
}

const keysListedIn = perObject(({ value }: Attribute): readonly ListedKey[] =>
  [...String(value).matchAll(/[^\s,;]+/g)].map(({ 0: word, index }) => ({
    key: contextKey(word),
    span: { start: index, end: index + word.length },
  })),
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
