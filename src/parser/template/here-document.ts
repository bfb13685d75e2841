import type { Span } from '../../diagnostic/source.js';

/** Here-document `<<word`, whose text begins in the next line. */
export interface HereDocument {
  readonly delimiter: string;
  /** True if a part of the delimiter is quoted: the shell expands nothing in the text. */
  readonly isQuoted: boolean;
  /** `<<-` */
  readonly stripsTabs: boolean;
  /** The delimiter as it is written. */
  readonly span: Span;
  /** True for a delimiter that shells read in different ways. */
  readonly isUnclear: boolean;
}

/** Blanks, then a word with its quotes. */
const written = /[ \t]*((?:\\[\s\S]|'[^']*'?|"[^"]*"?|[^\s;&|<>()\\'"])*)/y;

/** Reads the text after `<<`. */
export function readHereDocument(text: string, offset: number): HereDocument {
  const stripsTabs = text[offset] === '-';
  written.lastIndex = stripsTabs ? offset + 1 : offset;
  const word = written.exec(text)?.[1] ?? '';
  return {
    delimiter: word.replaceAll(/\\([\s\S])|["']/g, '$1'),
    isQuoted: /["'\\]/.test(word),
    stripsTabs,
    span: { start: written.lastIndex - word.length, end: written.lastIndex },
    isUnclear: /[$`]|"[^"]*\\/.test(word),
  };
}

/**
 * End of the text of a here-document, and the position at which the shell continues: after the first line
 * that is the delimiter, unless a backslash joins it to the line before.
 * @param limit end of the text that counts
 */
export function extentOfHereDocument(
  text: string,
  { start: offset, end: limit }: Span,
  { delimiter, isQuoted, stripsTabs }: HereDocument,
): { readonly bodyEnd: number; readonly next: number } {
  let isJoined = false;
  for (let start = offset; start < limit; ) {
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak === -1 ? limit : Math.min(lineBreak, limit);
    const line = text.slice(start, end);
    const isDelimiter = (stripsTabs ? line.replace(/^\t+/, '') : line) === delimiter;
    if (isDelimiter && !isJoined) return { bodyEnd: start, next: Math.min(end + 1, limit) };
    isJoined = !isQuoted && endsInBackslash(line);
    start = end + 1;
  }
  return { bodyEnd: limit, next: limit };
}

/** True for a line that ends in a backslash which is not itself escaped. */
function endsInBackslash(line: string): boolean {
  let backslashes = 0;
  while (line.at(-1 - backslashes) === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}
