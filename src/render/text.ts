const notInXml = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]|\p{Surrogate}/gu;
const wideCharacter =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
/**
 * Position at which a word that is too long for a line may be split: after a joint of an identifier, a path
 * or an expression.
 */
const joint = /[-_/\\.,:;=&|)\]]/;

/** Created on first use, because it takes long to load. */
let segmenter: Intl.Segmenter | undefined;

/**
 * Author's text in a form that SVG can hold: line breaks are `\n`, and characters that XML forbids (control
 * characters, halves of surrogate pairs) become U+FFFD, because one of them makes the whole file
 * unreadable.
 */
export function drawableText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll('\t', ' ').replaceAll(notInXml, '\ufffd');
}

/** Text as XML character data. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * Text as the content of a quoted Graphviz string. Backslashes and quotes are escaped here because
 * ts-graphviz leaves a quote after a backslash alone; `&` and `<` because Graphviz reads entities and
 * ts-graphviz reads `<…>` as markup.
 */
export function quotable(text: string): string {
  return drawableText(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n');
}

/**
 * Maximum of characters in a tooltip, more than a person reads; the time that Graphviz takes grows with the
 * square of the length.
 */
const longestTooltip = 10_000;

/**
 * Like `quotable`, for a tooltip, whose escapes Graphviz reads twice; a text that is too long is cut with
 * an ellipsis.
 */
export function quotableTooltip(text: string): string {
  const excerpt = text.length > longestTooltip ? `${text.slice(0, longestTooltip)} …` : text;
  return quotable(excerpt.replaceAll('\\', '\\\\'));
}

/** Text in an HTML-like label, in which Graphviz reads backslashes too. */
export function htmlText(text: string): string {
  return escapeXml(text).replaceAll('\\', '\\\\');
}

export interface LineLimits {
  /** Columns of a line; East Asian characters count as two. */
  readonly columns: number;
  /** Maximum of lines; the rest is cut with an ellipsis. */
  readonly lines: number;
}

/** Text in lines of about equal length; its line breaks are kept, and blank text has no lines. */
export function wrapText(text: string, { columns, lines: lineLimit }: LineLimits): readonly string[] {
  // Far more than is shown, so that an essay in a label costs nothing.
  const excerpt = drawableText(text)
    .replaceAll(/[^\S\n]+/gu, ' ')
    .trim()
    .slice(0, 2 * columns * lineLimit + 2);
  const lines = excerpt === '' ? [] : excerpt.split('\n').flatMap((paragraph) => balance(paragraph, columns));
  if (lines.length <= lineLimit) return lines;
  return [...lines.slice(0, lineLimit - 1), `${lines[lineLimit - 1]} …`];
}

/** Narrowest lines that are as few as possible, and that split no word unnecessarily. */
function balance(paragraph: string, columns: number): readonly string[] {
  if (widthOf(paragraph) <= columns) return [paragraph.trim()];
  const widest = fill(paragraph, columns);
  const wordWidths = paragraph.split(' ').map((word) => Math.min(columns, widthOf(word)));
  const narrowest = Math.max(columns / 2, ...wordWidths);
  let best = widest;
  for (let narrower = columns - 1; narrower >= narrowest; narrower -= 1) {
    const lines = fill(paragraph, narrower);
    if (lines.length > widest.length) break;
    best = lines;
  }
  return best;
}

function fill(paragraph: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(' ').filter((part) => part !== '')) {
    for (const [index, piece] of pieces(word, columns).entries()) {
      const isContinuation = index > 0;
      const longer = line === '' || isContinuation ? line + piece : `${line} ${piece}`;
      if (line === '' || widthOf(longer) <= columns) {
        line = longer;
      } else {
        lines.push(line);
        line = piece;
      }
    }
  }
  return [...lines, line];
}

/** Whole word if a line can hold it, else split at its joints, and without any, anywhere. */
function pieces(word: string, columns: number): readonly string[] {
  if (widthOf(word) <= columns) return [word];
  const parts: string[] = [];
  let part = '';
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(word)) {
    if (part !== '' && widthOf(part + segment) > columns) {
      parts.push(part);
      part = '';
    }
    part += segment;
    if (joint.test(segment) || wideCharacter.test(segment)) {
      parts.push(part);
      part = '';
    }
  }
  return part === '' ? parts : [...parts, part];
}

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += wideCharacter.test(character) ? 2 : 1;
  return width;
}
