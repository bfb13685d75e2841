import type { IToken } from 'chevrotain';
import type { Comment } from './ast.js';
import { isUnterminated, UNTERMINATED } from './patterns.js';
import { endOf, type Report, replacement, shortExcerpt, spanOf } from './report.js';
import type { LexedText } from './tokenize.js';
import { BlockComment, StringLiteral } from './tokens.js';

/** Reports text that the lexer skips, and strings and comments without an end (SEMANTICS 14–16). */
export function reportLexical(lexed: LexedText, report: Report): void {
  const { tokens } = lexed;
  const lastToken = tokens.at(-1);
  if (lastToken !== undefined && isUnterminated(lastToken)) {
    report.loseEnd();
    if (lastToken.tokenType === StringLiteral) reportUnterminatedString(tokens, lastToken, report);
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

function reportUnterminatedString(tokens: IToken[], last: IToken, report: Report): void {
  const index = indexOfCulprit(tokens, report.text);
  const culprit = tokens[index] ?? last;
  const quoteOf = ({ startOffset }: IToken) => ({ start: startOffset, end: startOffset + 1 });
  report.add(
    'unterminated_string',
    quoteOf(culprit),
    'this string has no closing quote; add " where the text ends',
    {
      fix: { title: 'add " where the text ends', edits: [] },
      related:
        culprit === last
          ? undefined
          : [{ span: quoteOf(last), message: 'from here on, the quotes are mismatched' }],
    },
  );
  // After the culprit, text would be read as code and code as text.
  report.muteFrom(culprit.startOffset);
  const image = report.text.slice(culprit.startOffset);
  tokens.splice(index, tokens.length, { ...culprit, image, payload: UNTERMINATED });
}

/**
 * Index of the string that misses its quote, in a file with an odd number of quotes: the first that seems
 * to end at the opening quote of another one, as in `a [label="no end] b [label="next"]`, where the first
 * string reads `no end] b [label=`; else the last string.
 */
function indexOfCulprit(tokens: readonly IToken[], text: string): number {
  const culprit = tokens.findIndex((token) => {
    if (token.tokenType !== StringLiteral) return false;
    const isCutShort = /=\s{0,9}"$/.test(token.image.slice(-12));
    return isCutShort && /[^\s,;\]}]/.test(text[endOf(token)] ?? ' ');
  });
  return culprit === -1 ? tokens.length - 1 : culprit;
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
  const message = `this blank is an invisible special character (${shortExcerpt(codes.join(' '))}), not a space`;
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
