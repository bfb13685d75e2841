import type { Span } from '../../diagnostic/source.js';
import { isKeyPath } from '../condition/words.js';
import { namespaces } from '../namespaces.js';
import { readDollars } from './reference.js';
import { scanShell } from './shell-scanner.js';

/** `${name.path}` with an unknown namespace, or `${name}`: it stays as written (SEMANTICS §12). */
export interface UnknownRoot {
  readonly path: string;
  readonly root: string;
  /** Span of the whole reference, with the dollar sign and the braces. */
  readonly span: Span;
}

/** Returns true for a name without a namespace that is worth reporting: any text may have `${name}` in it. */
export type IsOfInterest = (name: string) => boolean;

/** Finds unknown roots in a text. */
export function unknownRoots(text: string, isOfInterest: IsOfInterest = never): readonly UnknownRoot[] {
  const found: UnknownRoot[] = [];
  for (let dollar = text.indexOf('$'); dollar !== -1; ) {
    const { reference, end } = readDollars(text, dollar, true);
    if (reference?.kind === 'value') add(found, reference, isOfInterest);
    dollar = text.indexOf('$', end);
  }
  return found;
}

/**
 * Finds unknown roots in a command, where the shell would expand them; within single quotes they are the
 * text of some other program, and a name that the command uses elsewhere is its own variable.
 */
export function unknownRootsInShell(
  text: string,
  isOfInterest: IsOfInterest = never,
): readonly UnknownRoot[] {
  const found: UnknownRoot[] = [];
  scanShell(
    text,
    (reference, place) => {
      const isRead = place === 'unquoted' || place === 'double' || place === 'arithmetic';
      if (isRead && reference.kind === 'value') {
        add(found, reference, (name) => isOfInterest(name) && !isVariable(name, text));
      }
    },
    { withAnyRoot: true },
  );
  return found;
}

const never: IsOfInterest = () => false;

const known: ReadonlySet<string> = new Set(namespaces);

function add(
  found: UnknownRoot[],
  { path, span }: { readonly path: string; readonly span: Span },
  isOfInterest: IsOfInterest,
): void {
  const dot = path.indexOf('.');
  const root = dot === -1 ? path : path.slice(0, dot);
  const isFound = dot === -1 ? isOfInterest(path) : !known.has(root) && isKeyPath(path);
  if (isFound) found.push({ path, root, span });
}

/** True if a command has a name elsewhere than after a dollar sign, where it may be assigned. */
function isVariable(name: string, command: string): boolean {
  return new RegExp(`(?<![\\w$]|\\$\\{)${name}(?!\\w)`).test(command);
}
