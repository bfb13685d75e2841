export interface StringProblem {
  readonly code: 'unknown_escape' | 'line_continuation';
  /** Offset and length of the escape within the raw text. */
  readonly offset: number;
  readonly length: number;
}

export interface DecodedString {
  readonly text: string;
  /** Problems in the order of the text; at most 1000, so that hostile input costs no memory. */
  readonly problems: readonly StringProblem[];
}

const PROBLEM_LIMIT = 1000;

/** Decodes the inside of a quoted string in one pass from left to right (§2.2, SEMANTICS 14). */
export function decodeString(raw: string): DecodedString {
  let backslash = raw.indexOf('\\');
  if (backslash === -1) return { text: raw, problems: [] };
  const problems: StringProblem[] = [];
  let text = '';
  let copied = 0;
  while (backslash !== -1) {
    const code = raw.charCodeAt(backslash + 1);
    if (code === QUOTE || code === BACKSLASH) {
      // The escaped character begins the next piece: a text has many, and a separate piece for each would
      // be costly.
      text += raw.slice(copied, backslash);
      copied = backslash + 1;
      backslash = raw.indexOf('\\', backslash + 2);
      continue;
    }
    const sequence = readEscape(raw, backslash);
    if (sequence.problem !== undefined && problems.length < PROBLEM_LIMIT) {
      problems.push({ code: sequence.problem, offset: backslash, length: sequence.length });
    }
    text += raw.slice(copied, backslash) + sequence.text;
    copied = backslash + sequence.length;
    backslash = raw.indexOf('\\', copied);
  }
  return { text: text + raw.slice(copied), problems };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export interface Escape {
  readonly text: string;
  readonly length: number;
  readonly problem?: StringProblem['code'];
}

/** The escape at a backslash. */
export function readEscape(raw: string, backslash: number): Escape {
  const next = raw[backslash + 1];
  switch (next) {
    case '"':
    case '\\':
      return { text: next, length: 2 };
    case 'n':
      return { text: '\n', length: 2 };
    case 't':
      return { text: '\t', length: 2 };
    case '\n':
      return { text: '', length: 2, problem: 'line_continuation' };
    case '\r':
      return { text: '', length: raw[backslash + 2] === '\n' ? 3 : 2, problem: 'line_continuation' };
    case undefined:
      return { text: '\\', length: 1 };
    default:
      return { text: `\\${next}`, length: 2, problem: 'unknown_escape' };
  }
}
