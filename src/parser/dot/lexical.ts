import type { IToken } from 'chevrotain';
import type { Comment } from './ast.js';
import { isUnterminated } from './patterns.js';
import { endOf, excerpt, type Report, replacement, spanOf } from './report.js';
import type { LexedText } from './tokenize.js';
import { BlockComment, StringLiteral } from './tokens.js';

/** Reports what the lexer passes over before the parser sees it, and what has no end (SEMANTICS 14–16). */
export function reportLexical(lexed: LexedText, report: Report): void {
  const lastToken = lexed.tokens.at(-1);
  if (lastToken !== undefined && isUnterminated(lastToken)) {
    report.loseEnd();
    if (lastToken.tokenType === StringLiteral) reportUnterminatedString(lexed.tokens, lastToken, report);
  }
  const lastComment = lexed.comments.at(-1);
  if (lastComment !== undefined && isUnterminated(lastComment)) {
    report.loseEnd();
    const span = { start: lastComment.startOffset, end: lastComment.startOffset + 2 };
    report.add('unterminated_comment', span, 'this comment has no end; close it with */', {
      fix: { title: 'close it with */ where the comment ends', edits: [] },
    });
  }
  for (const token of lexed.hashes) reportHashComment(token, report);
  for (const token of lexed.blanks) reportOddBlank(token, report);
}

function reportUnterminatedString(tokens: readonly IToken[], last: IToken, report: Report): void {
  const culprit = tokens.find((token) => swallowedAnother(token, report.text)) ?? last;
  const quote = (token: IToken) => ({ start: token.startOffset, end: token.startOffset + 1 });
  report.add(
    'unterminated_string',
    quote(culprit),
    'this string has no closing quote; add " where the text ends',
    {
      fix: { title: 'add " where the text ends', edits: [] },
      ...(culprit === last
        ? {}
        : { related: [{ span: quote(last), message: 'from here on all quotes are paired wrongly' }] }),
    },
  );
  // Behind the culprit, text is read as code and code as text.
  report.muteFrom(culprit.startOffset);
}

/**
 * In a file with an odd number of quotes: whether a string seems to end at the opening quote of another one, as in
 * `a [label="no end] b [label="next"]`, where the first string reads `no end] b [label=`.
 */
function swallowedAnother(token: IToken, text: string): boolean {
  if (token.tokenType !== StringLiteral || isUnterminated(token)) return false;
  return /=\s{0,9}"$/.test(token.image.slice(-12)) && /[^\s,;\]}]/.test(text[endOf(token)] ?? ' ');
}

function reportHashComment(token: IToken, report: Report): void {
  const sign = { start: token.startOffset, end: token.startOffset + 1 };
  report.add('hash_comment', spanOf(token), 'comments begin with //, not with #', {
    fix: replacement('write //', sign, '//'),
  });
}

function reportOddBlank(token: IToken, report: Report): void {
  const isByteOrderMark = token.startOffset === 0 && token.image === '\uFEFF';
  if (isByteOrderMark) return;
  const codes = [...new Set(token.image)].map(
    (blank) => `U+${blank.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  const message = `this blank is an invisible special character (${excerpt(codes.join(' '))}), not a space`;
  report.add('unexpected_character', spanOf(token), message, {
    fix: replacement('write a space', spanOf(token), ' '),
  });
}

/** The comments of a text in their order (§2.3). */
export function commentsOf(lexed: LexedText): readonly Comment[] {
  return lexed.comments.map((token) => ({
    kind: token.tokenType === BlockComment ? 'block' : 'line',
    span: spanOf(token),
  }));
}
