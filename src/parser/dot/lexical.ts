import type { IToken } from 'chevrotain';
import type { Comment } from './ast.js';
import { isUnterminated } from './patterns.js';
import { excerpt, type Report, replacement, spanOf } from './report.js';
import { kindOf, type TokenList } from './token-list.js';
import type { LexedText } from './tokenize.js';
import { BlockComment, StringLiteral } from './tokens.js';

/** Reports what the lexer passes over before the parser sees it, and what has no end (SEMANTICS 14–16). */
export function reportLexical(lexed: LexedText, report: Report): void {
  const { tokens } = lexed;
  const lastToken = tokens.at(tokens.length - 1);
  if (isUnterminated(lastToken)) {
    report.loseEnd();
    if (lastToken.tokenType === StringLiteral) reportUnterminatedString(tokens, report);
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

function reportUnterminatedString(tokens: TokenList, report: Report): void {
  const last = tokens.startOf(tokens.length - 1);
  const index = indexOfCulprit(tokens);
  const culprit = tokens.startOf(index);
  const quoteAt = (start: number) => ({ start, end: start + 1 });
  report.add(
    'unterminated_string',
    quoteAt(culprit),
    'this string has no closing quote; add " where the text ends',
    {
      fix: { title: 'add " where the text ends', edits: [] },
      ...(culprit === last
        ? {}
        : { related: [{ span: quoteAt(last), message: 'from here on all quotes are paired wrongly' }] }),
    },
  );
  // Behind the culprit, text would be read as code and code as text.
  report.muteFrom(culprit);
  tokens.leaveOpen(index);
}

/**
 * In a file with an odd number of quotes, the first string that seems to end at the opening quote of another one, as in
 * `a [label="no end] b [label="next"]`, where the first string reads `no end] b [label=`; else the last string.
 */
function indexOfCulprit(tokens: TokenList): number {
  const { text } = tokens;
  const last = tokens.length - 1;
  for (let index = 0; index < last; index += 1) {
    if (tokens.kindAt(index) !== STRING) continue;
    const end = tokens.endOf(index);
    const tail = text.slice(Math.max(tokens.startOf(index), end - 12), end);
    if (/=\s{0,9}"$/.test(tail) && /[^\s,;\]}]/.test(text[end] ?? ' ')) return index;
  }
  return last;
}

const STRING = kindOf(StringLiteral);

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
