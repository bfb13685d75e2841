import type { Span } from '../../diagnostic/source.js';
import { isKeyPath } from '../condition/words.js';
import { namespaces } from '../namespaces.js';
import { readDollars } from './reference.js';
import { scanShell } from './shell-scanner.js';

/** `${name.path}` whose name is none of the known namespaces: it stays as it is written (SEMANTICS §12). */
export interface UnknownRoot {
  readonly path: string;
  readonly root: string;
  /** Of the whole reference, with the dollar sign and the braces. */
  readonly span: Span;
}

/** Those in a text. */
export function unknownRoots(text: string): readonly UnknownRoot[] {
  const found: UnknownRoot[] = [];
  for (let dollar = text.indexOf('$'); dollar !== -1; ) {
    const { reference, end } = readDollars(text, dollar, true);
    if (reference?.kind === 'value') add(found, reference);
    dollar = text.indexOf('$', end);
  }
  return found;
}

/** Those in a command, where the shell would read them; within single quotes they are the text of some other program. */
export function unknownRootsInShell(text: string): readonly UnknownRoot[] {
  const found: UnknownRoot[] = [];
  scanShell(
    text,
    (reference, place) => {
      const isRead = place === 'unquoted' || place === 'double' || place === 'arithmetic';
      if (isRead && reference.kind === 'value') add(found, reference);
    },
    { withAnyRoot: true },
  );
  return found;
}

const known: ReadonlySet<string> = new Set(namespaces);

function add(found: UnknownRoot[], { path, span }: { readonly path: string; readonly span: Span }): void {
  const root = path.slice(0, path.indexOf('.'));
  if (!known.has(root) && isKeyPath(path)) found.push({ path, root, span });
}
