import type { IToken } from 'chevrotain';
import type { Span } from '../../../diagnostic/source.js';
import { tokenizeCondition } from '../../../parser/condition/parse.js';
import { tokenizeKeyList } from '../../../parser/key-list/parse.js';
import { tokenizeProperty } from '../../../parser/property/parse.js';
import { tokenizeStylesheet } from '../../../parser/stylesheet/parse.js';
import { parseTemplate } from '../../../parser/template/parse.js';
import { parseShellTemplate } from '../../../parser/template/parse-shell.js';
import type { TokenType } from './token-type.js';
import type { ValueLanguage } from './value-language.js';

export interface InnerToken {
  /** Within the text of the value. */
  readonly span: Span;
  readonly type: TokenType;
}

/** Tokens of the language inside a value, even of an invalid one. */
export function tokensInside(text: string, language: ValueLanguage): readonly InnerToken[] {
  switch (language) {
    case 'condition':
      return typed(tokenizeCondition(text), inCondition);
    case 'stylesheet':
      return typed(tokenizeStylesheet(text), inStylesheet);
    case 'key_list':
      return typed(tokenizeKeyList(text), inKeyList);
    case 'property':
      return typed(tokenizeProperty(text), inProperty);
    case 'template':
      return valuesOf(parseTemplate(text).parts);
    case 'shell':
      return [...wordsOfShell(text), ...valuesOf(parseShellTemplate(text).parts)];
    default:
      return [];
  }
}

type Types = Readonly<Record<string, TokenType>>;

const inCondition: Types = {
  Word: 'variable',
  True: 'enumMember',
  False: 'enumMember',
  Exists: 'keyword',
  In: 'keyword',
  NotWord: 'keyword',
  Contains: 'keyword',
  Matches: 'keyword',
  QuotedText: 'string',
  BareLiteral: 'enumMember',
  DoubleEquals: 'operator',
  NotEquals: 'operator',
  Equals: 'operator',
  OrderOperator: 'operator',
  And: 'operator',
  Or: 'operator',
  Not: 'operator',
};

const inStylesheet: Types = {
  Universal: 'keyword',
  ClassName: 'class',
  NodeId: 'function',
  Word: 'property',
  Assign: 'operator',
  QuotedValue: 'string',
  BareValue: 'enumMember',
};

const inKeyList: Types = { Word: 'variable', String: 'string', Equals: 'operator', Question: 'operator' };

const inProperty: Types = {
  Word: 'function',
  Text: 'string',
  Integer: 'number',
  Equals: 'operator',
  Comma: 'operator',
};

/** Words that are not in the table are keywords of properties, and signs elsewhere. */
function typed(tokens: readonly IToken[], types: Types): readonly InnerToken[] {
  return tokens.flatMap(({ tokenType, image, startOffset }): readonly InnerToken[] => {
    const span = { start: startOffset, end: startOffset + image.length };
    const known = Object.hasOwn(types, tokenType.name) ? types[tokenType.name] : undefined;
    const type = known ?? (types === inProperty && /^[a-z]/i.test(image) ? 'keyword' : undefined);
    if (type === undefined) return [];
    return [{ span, type: type === 'variable' && /^[-+]?\d/.test(image) ? 'number' : type }];
  });
}

/** Values of the run: `${path}`. */
function valuesOf(parts: readonly { readonly kind: string; readonly span: Span }[]): readonly InnerToken[] {
  return parts.flatMap(({ kind, span }): readonly InnerToken[] =>
    kind === 'value' || kind === 'refused' ? [{ span, type: 'variable' }] : [],
  );
}

const shellWord =
  /(?<comment>(?<=^|\s)#[^\n]*)|(?<single>'[^']*')|(?<variable>\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|[0-9@*#?$!-]))|(?<operator>\|\|?|&&|;;?|[<>]+|&)|(?<keyword>(?<=^|[;\s])(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|in)(?=[;\s]|$))/g;

const shellTypes = ['comment', 'variable', 'operator', 'keyword'] as const;

/** Words and signs of a shell command that look alike wherever they stand; those in single quotes are text. */
function wordsOfShell(text: string): readonly InnerToken[] {
  return [...text.matchAll(shellWord)].flatMap(({ 0: word, index, groups }): readonly InnerToken[] => {
    const type = shellTypes.find((name) => groups?.[name] !== undefined);
    return type === undefined ? [] : [{ span: { start: index, end: index + word.length }, type }];
  });
}
