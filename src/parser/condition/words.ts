import { namespaces } from '../namespaces.js';

/**
 * Side of an operator, which decides how a bare word is read: as a key on the left, mostly as a text on the
 * right.
 */
export type Side = 'left' | 'right';

/** A key, a number or an unquoted text: everything between blanks that is not punctuation. */
export const wordPattern = /(?:[^\s()[\],"=<>!&|]|&(?!&)|\|(?!\|))+/;

const wholeWord = new RegExp(`^${wordPattern.source}$`);

export function isWord(text: string): boolean {
  return wholeWord.test(text);
}

const knownNamespace = new RegExp(`^(?:${namespaces.join('|')})\\.`);

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;

/** True if a bare word is looked up instead of being taken literally (SEMANTICS §12). */
export function readsAsKey(word: string, side: Side): boolean {
  return side === 'left' ? !number.test(word) : knownNamespace.test(word);
}

const keyPath = /^[A-Za-z_][A-Za-z0-9_]*(?:\.(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|\*))*$/;

/** True if a path can be written as a key in a condition or in a value (SEMANTICS 44c, 105). */
export function isKeyPath(path: string): boolean {
  return keyPath.test(path);
}

/** True if a path leads to every member of a list, so that its value is a list (SEMANTICS 105). */
export function readsMembers(path: string): boolean {
  return path.includes('.*');
}
