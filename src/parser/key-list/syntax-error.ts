import type { IToken } from 'chevrotain';
import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';
import { spanOf, UnterminatedText } from '../quoted-text.js';
import { typeNames } from './ast.js';
import { Bar, Colon, Equals, LeftBrace, LeftBracket, Question, Word } from './tokens.js';

export function keyListError(span: Span, code: string, message: string): Diagnostic {
  return { rule: 'key_list_syntax', code, severity: 'error', message, span };
}

/**
 * Says what was found and what was expected at the token where the parser stopped.
 * @param tokens of the entry, without the separators around it
 */
export function explainKeyListError(token: IToken, tokens: readonly IToken[]): Diagnostic {
  const position = tokens.indexOf(token);
  const before = position === -1 ? tokens : tokens.slice(0, position);
  const previous = before.at(-1);
  if (position !== -1 && token.tokenType === UnterminatedText) {
    return keyListError(spanOf(token), 'unterminated_text', 'the text that begins here has no closing quote');
  }
  const open = openBracket(before);
  if (position === -1 && open !== undefined) {
    const kind = open.tokenType === LeftBracket ? 'list' : 'map';
    const message = `the ${kind} that begins here is not closed; expected "${kind === 'list' ? ']' : '}'}"`;
    return keyListError(spanOf(open), 'unclosed', message);
  }
  const at = position === -1 ? previous : token;
  const found = position === -1 ? `nothing after "${previous?.image ?? ''}"` : `"${shortened(token.image)}"`;
  const message = `found ${found}; expected ${expectedAfter(previous, open, before)}`;
  return keyListError(at === undefined ? { start: 0, end: 0 } : spanOf(at), 'unexpected', message);
}

/** The innermost list or map around the place after the tokens. */
function openBracket(tokens: readonly IToken[]): IToken | undefined {
  const open: IToken[] = [];
  for (const token of tokens) {
    if (token.tokenType === LeftBracket || token.tokenType === LeftBrace) open.push(token);
    else if (/^[\]}]$/.test(token.image)) open.pop();
  }
  return open.at(-1);
}

function expectedAfter(
  previous: IToken | undefined,
  open: IToken | undefined,
  before: readonly IToken[],
): string {
  if (open !== undefined)
    return open.tokenType === LeftBracket ? 'JSON values in a list' : 'JSON members in a map';
  switch (previous?.tokenType) {
    case undefined:
      return 'a key';
    case Colon:
      return `a type: ${typeNames.join(', ')}, or words such as low|high`;
    case Bar:
      return 'another word after "|"';
    case Equals:
      return 'a default: JSON, or one word';
    case Question:
      return 'a comma and the next key after "?"';
    default:
      if (before.some(({ tokenType }) => tokenType === Equals)) {
        return 'a comma after the default; put texts with characters other than letters, digits, "_", "-" and "." in quotes';
      }
      return previous?.tokenType === Word && before.length === 1
        ? '":" and a type, "?", "=" and a default, or a comma after the key'
        : '"?", "=" and a default, or a comma';
  }
}

function shortened(image: string): string {
  return image.length > 40 ? `${image.slice(0, 40)}…` : image;
}
