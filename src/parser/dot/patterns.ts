import type { CustomPatternMatcherFunc, CustomPatternMatcherReturn, IToken } from 'chevrotain';

type Match = CustomPatternMatcherReturn | null;

/** A string up to its closing quote, else to the end of the text; found by indexOf, so that its length costs nothing. */
export function matchString(text: string, offset: number): Match {
  let quote = text.indexOf('"', offset + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? unterminated(text, offset) : [text.slice(offset, quote + 1)];
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes += 1;
  return backslashes % 2 === 1;
}

/** A block comment up to its end, else to the end of the text. */
export function matchBlockComment(text: string, offset: number): Match {
  if (text.charCodeAt(offset + 1) !== 0x2a) return null;
  const end = text.indexOf('*/', offset + 2);
  return end === -1 ? unterminated(text, offset) : [text.slice(offset, end + 2)];
}

function unterminated(text: string, offset: number): Match {
  const match: CustomPatternMatcherReturn = [text.slice(offset)];
  match.payload = 'unterminated';
  return match;
}

/** True of a string or comment that runs to the end of the text because it is never closed. */
export function isUnterminated(token: IToken): boolean {
  return token.payload === 'unterminated';
}

const VALUE_ENDS: ReadonlySet<string | undefined> = new Set([...' \t\r\n,;]}', undefined]);

/** `<…>` with nested angle brackets where a value is expected. */
export const matchHtmlString = inValue((text, offset) => {
  let depth = 0;
  for (let index = offset; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x3c) depth += 1;
    else if (code === 0x3e) depth -= 1;
    if (code === 0x3e && depth <= 0 && VALUE_ENDS.has(text[index + 1]))
      return [text.slice(offset, index + 1)];
  }
  return unterminated(text, offset);
});

// What may follow a value that is not quoted. `http://` does not end before a comment: it is an unquoted URL.
const VALUE_END = String.raw`(?=[\s,;[\]{}"]|(?<!:)\/\/|\/\*|->|$)`;

export const matchBoolean = inValue(sticky(`(?:true|false)${VALUE_END}`));
export const matchBareWord = inValue(sticky(`[A-Za-z_](?:[A-Za-z0-9_.:]|-(?!>))*${VALUE_END}`));
export const matchDuration = sticky(`-?[0-9]+(?:ms|s|m|h|d)${VALUE_END}`);
export const matchFloat = sticky(`-?[0-9]*\\.[0-9]+${VALUE_END}`);
export const matchInteger = sticky(`-?[0-9]+${VALUE_END}`);

// A word up to the next blank or separator, or something in brackets on one line: a list or a map of another language.
const matchRun = sticky(
  String.raw`(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/)?(?:[^\s,;[\]{}"\/-]|\/(?![\/*])|-(?!>))+|\[[^[\]{}\r\n]*\]|\{[^[\]{}\r\n]*\}`,
);

/** Anything else that was meant as a value, up to the next blank or separator: `3.5-turbo`, `900sx`, `#ff0000`. */
export const matchUnreadableValue = inValue((text, offset, tokens) => {
  const run = matchRun(text, offset, tokens);
  if (run === null) return null;
  // `key =` at the end of a line and `other = …` on the next: the value is missing, not unreadable.
  const before = text.slice(tokens[tokens.length - 1]?.startOffset, offset);
  return /^[A-Za-z_][A-Za-z0-9_.]*=/.test(run[0]) && before.includes('\n') ? null : run;
});

/** A word with letters beyond ASCII, or one that is followed by a character beyond ASCII. */
export const matchForeignWord: Matcher = (text, offset) => {
  foreignWord.lastIndex = offset;
  const match = foreignWord.exec(text);
  return match === null ? null : [match[0]];
};

const foreignWord = /[\p{L}\p{M}_][\p{L}\p{M}\p{N}_]*/uy;

export type Matcher = (text: string, offset: number, tokens: readonly IToken[]) => Match;

function sticky(source: string): Matcher {
  const pattern = new RegExp(source, 'y');
  return (text, offset) => {
    pattern.lastIndex = offset;
    return pattern.test(text) ? [text.slice(offset, pattern.lastIndex)] : null;
  };
}

/** Restricts a matcher to the place after `=`, and after the `:` that some write in its stead. */
function inValue(matcher: Matcher): Matcher & CustomPatternMatcherFunc {
  return (text: string, offset: number, tokens: readonly IToken[]) => {
    const image = tokens[tokens.length - 1]?.image;
    return image === '=' || image === ':' || image === '==' ? matcher(text, offset, tokens) : null;
  };
}
