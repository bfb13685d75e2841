import type { Span } from '../../diagnostic/source.js';
import { isKeyPath } from '../condition/words.js';
import { namespaces } from '../namespaces.js';
import { readDollars } from './reference.js';
import { scanShell } from './shell-scanner.js';

/** `${name.path}` whose name is none of the known namespaces, or `${name}`: it stays as it is written (SEMANTICS §12). */
export interface UnknownRoot {
  readonly path: string;
  readonly root: string;
  /** Of the whole reference, with the dollar sign and the braces. */
  readonly span: Span;
}

/** Whether a name without a namespace is of interest: any text may have `${name}` in it. */
export type IsOfInterest = (name: string) => boolean;

/** Those in a text. */
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
 * Those in a command, where the shell would read them; within single quotes they are the text of some other program, and a
 * name that the command has elsewhere too is a variable of its own.
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

/** Whether a command says a name elsewhere than after a dollar sign, where it may give it a value. */
function isVariable(name: string, command: string): boolean {
  return new RegExp(`(?<![\\w$]|\\$\\{)${name}(?!\\w)`).test(command);
}
