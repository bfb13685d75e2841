import type { IToken } from 'chevrotain';
import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import { didYouMean } from '../../diagnostic/did-you-mean.js';
import { spanOf } from '../quoted-text.js';
import {
  type KeyEntry,
  type Literal,
  type NamedKey,
  type TypeName,
  typeNames,
  type ValueType,
} from './ast.js';
import type { WrittenEntry, WrittenLiteral } from './grammar.js';
import { keyListError } from './syntax-error.js';
import { Text } from './tokens.js';
import { describeType, fitsType, readTyped } from './value-type.js';

interface CheckedEntry {
  /** Missing where it is not a key. */
  readonly named?: NamedKey;
  /** Missing where something is wrong with it. */
  readonly entry?: KeyEntry;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Turns an entry as it is written into what it means (SEMANTICS 100).
 * @param text of the whole list, in which the spans count
 */
export function checkEntry(written: WrittenEntry, text: string): CheckedEntry {
  const diagnostics: Diagnostic[] = [];
  const key = keyOf(written.key, diagnostics);
  const named: NamedKey | undefined =
    diagnostics.length === 0 ? { key, keySpan: spanOf(written.key) } : undefined;
  const type = typeOf(written.type, diagnostics);
  const literal = typedLiteral(literalOf(written.literal, text, diagnostics), type, diagnostics);
  if (named === undefined || diagnostics.length > 0) return { named, diagnostics };
  const entry: KeyEntry = {
    ...named,
    type,
    typeSpan: spanAround(written.type),
    isOptional: written.question !== undefined,
    default: literal,
    span: written.span,
  };
  return { named, entry, diagnostics };
}

/** True for a name that a key may have. */
export function isKey(text: string): boolean {
  return validKey.test(text);
}

const validKey = /^[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/;

function keyOf(token: IToken, diagnostics: Diagnostic[]): string {
  const key = token.image.replace(/^(?:context|state)\.(?=.)/, '');
  if (!isKey(key)) {
    const message = `"${token.image}" is not a key; expected letters, digits, "_" and "-", in parts between dots, beginning with a letter`;
    diagnostics.push(keyListError(spanOf(token), 'not_a_key', message));
  }
  return key;
}

const names: ReadonlySet<string> = new Set(typeNames);

function typeOf(tokens: readonly IToken[], diagnostics: Diagnostic[]): ValueType | undefined {
  const [first, ...others] = tokens;
  if (first === undefined) return undefined;
  if (others.length > 0) return choiceOf(tokens, diagnostics);
  if (isTypeName(first)) return { kind: first.image as TypeName };
  const word = first.tokenType === Text ? '' : didYouMean(first.image, typeNames);
  const message = `${quoted(first)} is not a type${word}; expected ${typeNames.join(', ')}, or two or more words such as low|high`;
  diagnostics.push(keyListError(spanOf(first), 'not_a_type', message));
  return undefined;
}

function choiceOf(tokens: readonly IToken[], diagnostics: Diagnostic[]): ValueType {
  const words = tokens.map((token) => {
    const message = problemOfWord(token);
    if (message !== undefined) diagnostics.push(keyListError(spanOf(token), 'not_a_word', message));
    return token.tokenType === Text ? textOf(token) : token.image;
  });
  for (const [index, word] of words.entries()) {
    const token = tokens[index];
    if (token !== undefined && words.indexOf(word) < index) {
      diagnostics.push(
        keyListError(spanOf(token), 'repeated_word', `${quoted(token)} is already one of the words`),
      );
    }
  }
  return { kind: 'words', words };
}

function problemOfWord(token: IToken): string | undefined {
  if (token.tokenType === Text) {
    return isJson(token.image) ? undefined : `${token.image} is not a JSON string; escape "\\" as "\\\\"`;
  }
  if (isTypeName(token)) {
    return `"${token.image}" is a type, and types cannot be combined; use any, or put the word in quotes`;
  }
  if (/^[A-Za-z0-9_-]+$/.test(token.image)) return undefined;
  return `"${token.image}" contains characters other than letters, digits, "_" and "-"; put the word in quotes`;
}

function literalOf(
  written: WrittenLiteral | undefined,
  text: string,
  diagnostics: Diagnostic[],
): Literal | undefined {
  if (written === undefined) return undefined;
  for (const token of written.refused) {
    const message =
      token.tokenType === Text
        ? `${token.image} is not a JSON string; escape "\\" as "\\\\"`
        : `"${token.image}" is not JSON; put texts within a list or a map in quotes`;
    diagnostics.push(keyListError(spanOf(token), 'not_json', message));
  }
  const { value, span } = written;
  return { value, text: text.slice(span.start, span.end), span };
}

/** The same default as a value of its type: `1.10` is a text where a string is wanted (SEMANTICS 101). */
function typedLiteral(
  literal: Literal | undefined,
  type: ValueType | undefined,
  diagnostics: Diagnostic[],
): Literal | undefined {
  if (literal === undefined || diagnostics.length > 0) return literal;
  const { text, value, span } = literal;
  if (fitsType(type, value)) return literal;
  const isBare = !/^["[{]/.test(text);
  const read = isBare ? readTyped(type, text) : undefined;
  if (read !== undefined) return { ...literal, value: read };
  const message = `the default ${text} does not have the declared type; expected ${describeType(type)}`;
  diagnostics.push(keyListError(span, 'default_type', message));
  return undefined;
}

function isTypeName({ tokenType, image }: IToken): boolean {
  return tokenType !== Text && names.has(image);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function textOf({ image }: IToken): string {
  return isJson(image) ? String(JSON.parse(image)) : image;
}

function quoted({ tokenType, image }: IToken): string {
  return tokenType === Text ? image : `"${image}"`;
}

function spanAround(tokens: readonly IToken[]): KeyEntry['typeSpan'] {
  const [first] = tokens;
  const last = tokens.at(-1);
  return first === undefined || last === undefined
    ? undefined
    : { start: spanOf(first).start, end: spanOf(last).end };
}
