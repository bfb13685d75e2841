import type { Span } from '../../diagnostic/source.js';
import { isKeyPath } from '../condition/words.js';
import { namespaces } from '../namespaces.js';

/** `${path}` in a text, `$${path}` which stands for the text `${path}`, or what only begins like a path. */
export interface Reference {
  readonly kind: 'value' | 'escaped' | 'malformed';
  readonly path: string;
  readonly span: Span;
}

/** One or more dollar signs in a row, and what the last of them begins. */
export interface DollarRun {
  /** How many there are before the reference, always an even number; without a reference, all of them. */
  readonly dollars: number;
  readonly reference: Reference | undefined;
  readonly end: number;
}

/** Only the known namespaces are touched, so that `${HOME}` and `${HOME:-x}` survive (SEMANTICS §12). */
const dollarRun = new RegExp(`(\\$+)(?:\\{((?:${namespaces.join('|')})\\.[^{}\\n]*)\\})?`, 'y');

/** The same for whatever looks like a value: also of a namespace that there is not, or without one. */
const anyDollarRun = /(\$+)(?:\{([A-Za-z_][A-Za-z0-9_]*(?:\.[^{}\n]*)?)\})?/y;

/** Reads the dollar signs at an offset. In pairs they are escaped, so that an odd one is left for a value. */
export function readDollars(text: string, offset: number, withAnyRoot = false): DollarRun {
  const run = withAnyRoot ? anyDollarRun : dollarRun;
  run.lastIndex = offset;
  const [whole = '', dollars = '', path] = run.exec(text) ?? [];
  const end = offset + whole.length;
  if (path === undefined) return { dollars: dollars.length, reference: undefined, end };
  const isEscaped = dollars.length % 2 === 0;
  const before = dollars.length - (isEscaped ? 2 : 1);
  const kind = isEscaped ? 'escaped' : isKeyPath(path) ? 'value' : 'malformed';
  return { dollars: before, reference: { kind, path, span: { start: offset + before, end } }, end };
}
