import { nextKey } from './find-keys.js';
import { type Literal, type LiteralMatcher, literalMatcher, type SecretSpan } from './literal-matcher.js';
import { redactJson } from './redact-json.js';
import { placeholder, type Secret, shortestSecret } from './secret.js';
import { spellingsOf } from './spellings.js';
import { type TextStream, textStream } from './text-stream.js';

/** Keeps secrets out of everything that a run writes, shows or sends to a model (DESIGN §4). */
export interface Redactor {
  /** The text with `[redacted:NAME]` instead of each secret; the same text if there is none. */
  text(value: string): string;
  /** Plain data without secrets in its texts and keys; the same object if there are none. */
  json<Value>(value: Value): Value;
  /** JSON text without secrets; it must be the JSON of plain data. */
  jsonText(value: string): string;
  /** Stream for a text that comes in pieces. */
  stream(): TextStream;
  /** Names of the secrets that it knows; keys of well-known formats are found besides. */
  readonly names: readonly string[];
  /** Texts that it looks for, to build the same redactor in another process. */
  readonly literals: readonly Literal[];
}

/** Makes a redactor for these secrets, and for keys of well-known formats. */
export function makeRedactor(secrets: readonly Secret[]): Redactor {
  return redactorOf(literalsOf(secrets), [...new Set(secrets.map(({ name }) => name))]);
}

/** Redactor that finds nothing. */
export const noRedactor: Redactor = {
  text: (value) => value,
  json: (value) => value,
  jsonText: (value) => value,
  stream: () => ({ add: (text) => text, end: () => '' }),
  names: [],
  literals: [],
};

/** Literals of the secrets; of two equal secrets the first name counts. */
function literalsOf(secrets: readonly Secret[]): readonly Literal[] {
  const literals = new Map<string, Literal>();
  for (const { name, value } of secrets) {
    for (const { text, isWrapped } of spellingsOf(value)) {
      const known = literals.get(text);
      literals.set(text, {
        text,
        name: known?.name ?? name,
        isWrapped: isWrapped || known?.isWrapped === true,
      });
    }
  }
  return [...literals.values()];
}

/**
 * Number of short texts without secrets that are remembered: stages that do nothing repeat the same texts.
 */
const remembered = 64;
const longestRemembered = 200;

/** Redactor of these spellings, such as another one has. */
export function redactorOf(literals: readonly Literal[], names: readonly string[]): Redactor {
  const matcher = literals.length === 0 ? undefined : literalMatcher(literals);
  const clean = new Set<string>();
  const text = (value: string): string => {
    if (value.length < shortestSecret || clean.has(value)) return value;
    const hidden = withoutKeys(matcher === undefined ? value : withoutLiterals(value, matcher));
    if (hidden === value && value.length <= longestRemembered) {
      if (clean.size === remembered) clean.clear();
      clean.add(value);
    }
    return hidden;
  };
  const json = <Value>(value: Value): Value => redactJson(value, text);
  const jsonText = (value: string): string =>
    text(value) === value ? value : JSON.stringify(json(JSON.parse(value)));
  const stream = (): TextStream => textStream(matcher);
  return { text, json, jsonText, stream, names, literals };
}

function withoutLiterals(text: string, matcher: LiteralMatcher): string {
  return hide(text, (from) => matcher.next(text, from));
}

function withoutKeys(text: string): string {
  return hide(text, (from) => nextKey(text, from));
}

function hide(text: string, next: (from: number) => SecretSpan | undefined): string {
  let found = next(0);
  if (found === undefined) return text;
  let clean = '';
  let from = 0;
  for (; found !== undefined; found = next(from)) {
    clean += text.slice(from, found.start) + placeholder(found.name);
    from = found.end;
  }
  return clean + text.slice(from);
}
