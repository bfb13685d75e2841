import type { Span } from '../../diagnostic/source.js';
import { isKeyPath } from '../condition/words.js';
import { namespaces } from '../namespaces.js';

/**
 * Reference `${path}` in a text, `$${path}` for the text `${path}`, or a text that only begins like a path.
 */
export interface Reference {
  readonly kind: 'value' | 'escaped' | 'malformed';
  readonly path: string;
  readonly span: Span;
}

/** One or more dollar signs in a row, and the reference after the last of them. */
export interface DollarRun {
  /** Number of dollar signs before the reference, always even; without a reference, all of them. */
  readonly dollars: number;
  readonly reference: Reference | undefined;
  readonly end: number;
}

/** Matches only known namespaces, so that `${HOME}` and `${HOME:-x}` survive (SEMANTICS §12). */
const dollarRun = new RegExp(`(\\$+)(?:\\{((?:${namespaces.join('|')})\\.[^{}\\n]*)\\})?`, 'y');

/** Matches anything that looks like a value: also with an unknown namespace, or without one. */
const anyDollarRun = /(\$+)(?:\{([A-Za-z_][A-Za-z0-9_]*(?:\.[^{}\n]*)?)\})?/y;

/** Reads the dollar signs at an offset. Pairs are escapes, so an odd one is left for a value. */
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
