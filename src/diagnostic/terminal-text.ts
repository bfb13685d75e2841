/** Colours that programs give their texts, by the names of the standard (ECMA-48). */
const colours = ['gray', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', undefined] as const;

/** Part of a text in one look. */
export interface TerminalPart {
  readonly text: string;
  readonly colour: (typeof colours)[number];
  readonly isBold: boolean;
}

type Look = Omit<TerminalPart, 'text'>;

const plain: Look = { colour: undefined, isBold: false };
const escapeCharacter = String.fromCharCode(27);
const bell = String.fromCharCode(7);

/** Sequences that a terminal obeys: the look (`m`, whose numbers are kept), anything else of CSI, titles and links, single ones. */
const sequence = new RegExp(
  [
    `${escapeCharacter}\\[([\\d;]*)m`,
    `${escapeCharacter}\\[[0-?]*[ -/]*[@-~]`,
    `${escapeCharacter}\\][^${bell}${escapeCharacter}]*(?:${bell}|${escapeCharacter}\\\\)`,
    `${escapeCharacter}[@-_]?`,
  ].join('|'),
  'g',
);

/**
 * Text of a program as a terminal would show it: in colours, without what moves its cursor, and of lines that were
 * written over (as progress is) the last version.
 */
export function terminalParts(text: string): readonly TerminalPart[] {
  const parts: TerminalPart[] = [];
  const lines = text.split('\n').map(lastVersion).join('\n');
  let look = plain;
  let from = 0;
  const add = (to: number): void => {
    if (to > from) parts.push({ text: lines.slice(from, to), colour: look.colour, isBold: look.isBold });
  };
  for (const match of lines.matchAll(sequence)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[1] !== undefined) look = lookAfter(look, match[1].split(';').map(Number));
  }
  add(lines.length);
  return parts;
}

/** The same without colours. */
export function stripStyles(text: string): string {
  return terminalParts(text)
    .map((part) => part.text)
    .join('');
}

/** Text after the last return to the start of the line; a return at its end belongs to the line break. */
function lastVersion(line: string): string {
  const end = line.endsWith('\r') ? line.length - 1 : line.length;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

function lookAfter(before: Look, codes: readonly number[]): Look {
  let { colour, isBold } = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    // Colours by number or by shares, of the text or after it, are many; the page has eight.
    if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4;
    else if (code === 0) ({ colour, isBold } = plain);
    else if (code === 1) isBold = true;
    else if (code === 2) colour = 'gray';
    else if (code === 22) isBold = false;
    else if (code === 39) colour = undefined;
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) colour = colours[code % 10];
  }
  return { colour, isBold };
}
