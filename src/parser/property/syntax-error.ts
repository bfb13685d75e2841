import type { IToken } from 'chevrotain';
import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';
import { foundToken } from '../found-token.js';
import { spanOf, UnterminatedText } from '../quoted-text.js';
import {
  After,
  AtMost,
  Before,
  Class,
  Comma,
  Completes,
  Equals,
  EveryRunThat,
  Has,
  Integer,
  keywords,
  MoreThan,
  Never,
  No,
  OfClass,
  OnlyAfter,
  Or,
  Passed,
  Reaches,
  SinceTheLast,
  TheEnd,
} from './tokens.js';

function propertyError(span: Span, message: string): Diagnostic {
  return { rule: 'property_syntax', severity: 'error', message, span };
}

/** Says what was found and what was expected at the token where the parser stopped. */
export function explainPropertyError(token: IToken, tokens: readonly IToken[]): Diagnostic {
  const position = tokens.indexOf(token);
  if (position !== -1 && token.tokenType === UnterminatedText)
    return propertyError(spanOf(token), 'the text that begins here has no closing quote');
  const before = position === -1 ? tokens : tokens.slice(0, position);
  const previous = before.at(-1);
  const at = position === -1 ? previous : token;
  const found = foundToken(position === -1 ? undefined : token, 'property');
  const hint = isKeywordForName(position === -1 ? undefined : token, previous)
    ? `; to name a stage "${token.image}", put it in quotes`
    : '';
  const message = `found ${found}; expected ${expectedAfter(before)}${hint}`;
  return propertyError(at === undefined ? { start: 0, end: 0 } : spanOf(at), message);
}

const events = 'a stage, such as review, class deploy, LLM stages or approve = yes';

function expectedAfter(before: readonly IToken[]): string {
  const previous = before.at(-1);
  switch (previous?.tokenType) {
    case undefined:
      return 'a sentence that begins with "never", "at most", "after", "every run that" or a stage, such as publish only after approve = yes';
    case EveryRunThat:
      return '"completes" or "reaches"';
    case Completes:
      return '"has"';
    case AtMost:
    case MoreThan:
      return 'a number';
    case Never:
    case No:
      return `"more than" or ${events}`;
    case Has:
    case Passed:
      return before.some(({ tokenType }) => tokenType === Has) ? events : '"or", or a word that continues';
    case Comma:
      return `"never", "no", "at most" or ${events}`;
    case Equals:
      return 'an answer or an outcome, such as yes or success';
    case Class:
    case OfClass:
      return 'the name of a class';
    case After:
    case Before:
    case Integer:
    case OnlyAfter:
    case Or:
    case Reaches:
    case SinceTheLast:
      return events;
    case TheEnd:
      return 'nothing more';
    default:
      return expectedAfterEvent(before.map(({ tokenType }) => tokenType));
  }
}

/** What may follow an event depends on the sentence around it. */
function expectedAfterEvent(types: readonly unknown[]): string {
  const has = (type: unknown): boolean => types.includes(type);
  if (has(SinceTheLast)) return '"or", or the end of the sentence';
  if (has(OnlyAfter) || has(Has)) return '"=", "or", "since the last", or the end of the sentence';
  if (has(Reaches)) return '"or" or "has"';
  if (has(Before)) return '"=", "or", or the end of the sentence';
  if (has(Never) || has(No) || has(AtMost)) return '"=", "or", "before", or the end of the sentence';
  if (!has(After)) return '"=", "or" or "only after"';
  return has(Comma)
    ? '"=", "or" or "before"'
    : 'a comma, and then "no", "at most", or a stage that must follow';
}

function isKeywordForName(token: IToken | undefined, previous: IToken | undefined): boolean {
  if (token === undefined || !keywords.includes(token.tokenType)) return false;
  const beforeNames: readonly unknown[] = [
    undefined,
    After,
    Before,
    Class,
    Equals,
    OfClass,
    OnlyAfter,
    Or,
    Reaches,
    SinceTheLast,
  ];
  return beforeNames.includes(previous?.tokenType);
}
