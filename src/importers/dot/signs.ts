import type { DotDialect } from './dot-dialect.js';

/**
 * Number of signs of a dialect in a text, read without a parser: it has to be quick, because lint asks it of every
 * pipeline with unknown attributes. 0 for a text that is not DOT.
 */
export function countSigns(text: string, { signs }: Pick<DotDialect, 'signs'>): number {
  const code = text.replaceAll(stringsAndComments, (written, sign = '') =>
    sign === '' ? '""' : written.replaceAll('"', ''),
  );
  if (!/\bdigraph\b/.test(code)) return 0;
  const names = new Set([...code.matchAll(/([A-Za-z_][\w.]*)\s*=/g)].map(([, name]) => name));
  const shapes = new Set([...text.matchAll(/\bshape\s*=\s*"?(\w+)/g)].map(([, shape]) => shape));
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
