import type { DotDialect } from './dot-dialect.js';

/** Parts of a text in which dialects have their signs, read without a parser. */
export interface WrittenSigns {
  readonly text: string;
  readonly isDot: boolean;
  readonly names: ReadonlySet<string | undefined>;
  readonly shapes: ReadonlySet<string | undefined>;
}

/** Reads a text quickly, because lint asks it of every pipeline with unknown attributes. */
export function readSigns(text: string): WrittenSigns {
  const code = text.replaceAll(stringsAndComments, (written, sign = '') =>
    sign === '' ? '""' : written.replaceAll('"', ''),
  );
  return {
    text,
    isDot: /\bdigraph\b/.test(code),
    names: new Set([...code.matchAll(/([A-Za-z_][\w.]*)\s*=/g)].map(([, name]) => name)),
    shapes: new Set([...text.matchAll(/\bshape\s*=\s*"?(\w+)/g)].map(([, shape]) => shape)),
  };
}

/** Number of signs of a dialect; 0 for a text that is not DOT. */
export function countSigns(
  { text, isDot, names, shapes }: WrittenSigns,
  { signs }: Pick<DotDialect, 'signs'>,
): number {
  if (!isDot) return 0;
  const written = [...(signs.graph ?? []), ...(signs.node ?? []), ...(signs.edge ?? [])];
  return (
    (signs.base ?? 0) +
    written.filter((name) => names.has(name)).length +
    (signs.shapes ?? []).filter((shape) => shapes.has(shape)).length +
    (signs.texts ?? []).filter((pattern) => pattern.test(text)).length
  );
}

/** One that does not end goes up to the end of the text, so that no text takes longer than its length. */
const stringsAndComments = /"(?:[^"\\]|\\[\s\S])*"?(\s*=)?|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g;
