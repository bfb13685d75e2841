import type { TokenType } from 'chevrotain';
import { Blanks, quotedText, UnterminatedText } from '../quoted-text.js';
import { tokenType } from '../token-type.js';

/*
 * The tokens of properties. Words that stand together, such as `every run that`, are one token, so that `run`, `end` and `last` can
 * be names of stages.
 */

export const EveryRunThat = keyword('EveryRunThat', /every\s+run\s+that/);
export const AtMost = keyword('AtMost', /at\s+most/);
export const MoreThan = keyword('MoreThan', /more\s+than/);
export const OnlyAfter = keyword('OnlyAfter', /only\s+after/);
export const SinceTheLast = keyword('SinceTheLast', /since\s+the\s+last/);
export const TheEnd = keyword('TheEnd', /the\s+end/);
export const OfClass = keyword('OfClass', /of\s+class/);
export const Class = keyword('Class', /class/);
export const Completes = keyword('Completes', /completes/);
export const Reaches = keyword('Reaches', /reaches/);
export const Has = keyword('Has', /has/);
export const Passed = keyword('Passed', /passed/);
export const Failed = keyword('Failed', /failed/);
export const After = keyword('After', /after/);
export const Before = keyword('Before', /before/);
export const Never = keyword('Never', /never/);
export const No = keyword('No', /no/);
export const Or = keyword('Or', /or/);
export const StageWord = keyword('StageWord', /stages?/);
export const Integer = keyword('Integer', /[0-9]+/);
export const Equals = tokenType({ name: 'Equals', pattern: '=' });
export const Comma = tokenType({ name: 'Comma', pattern: ',' });
export const Text = tokenType({
  name: 'Text',
  pattern: quotedText,
  line_breaks: true,
});
export const Word = tokenType({ name: 'Word', pattern: /[^\s,="]+/ });

export const keywords: readonly TokenType[] = [
  EveryRunThat,
  AtMost,
  MoreThan,
  OnlyAfter,
  SinceTheLast,
  TheEnd,
  OfClass,
  Class,
  Completes,
  Reaches,
  Has,
  Passed,
  Failed,
  After,
  Before,
  Never,
  No,
  Or,
  StageWord,
];

/** In the order in which the lexer tries them. */
export const propertyTokens: readonly TokenType[] = [
  Blanks,
  ...keywords,
  Integer,
  Equals,
  Comma,
  Text,
  UnterminatedText,
  Word,
];

/** A token that ends where a word ends. */
function keyword(name: string, pattern: RegExp): TokenType {
  const whole = new RegExp(`(?:${pattern.source})(?![^\\s,="])`);
  return tokenType({ name, pattern: whole, line_breaks: pattern.source.includes('\\s') });
}
