import { nextKey } from './find-keys.js';
import { type Literal, type LiteralMatcher, literalMatcher, type SecretSpan } from './literal-matcher.js';
import { redactJson } from './redact-json.js';
import { placeholder, type Secret, shortestSecret } from './secret.js';
import { spellingsOf } from './spellings.js';
import { type TextStream, textStream } from './text-stream.js';

/** Keeps secrets out of everything that a run writes, shows or tells a model (DESIGN §4). */
export interface Redactor {
  /** The text with `[redacted:NAME]` in the place of each secret; the same text where there is none. */
  text(value: string): string;
  /** Plain data without secrets in its texts and keys; the same object where there are none. */
  json<Value>(value: Value): Value;
  /** Text of JSON without secrets; what it is the text of is plain data. */
  jsonText(value: string): string;
  /** For a text that comes in pieces. */
  stream(): TextStream;
  /** What the secrets are called that it knows; keys of well-known formats it finds without knowing them. */
  readonly names: readonly string[];
  /** What it looks for, for another process that has to do the same. */
  readonly literals: readonly Literal[];
}

/** Makes a redactor for these secrets, and for keys of well-known formats. */
export function makeRedactor(secrets: readonly Secret[]): Redactor {
  return redactorOf(literalsOf(secrets), [...new Set(secrets.map(({ name }) => name))]);
}

/** Finds nothing. */
export const noRedactor: Redactor = {
  text: (value) => value,
  json: (value) => value,
  jsonText: (value) => value,
  stream: () => ({ add: (text) => text, end: () => '' }),
  names: [],
  literals: [],
};

/** The first name counts where two secrets are the same. */
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

/** How many short texts are remembered that have no secret: stages that do nothing say the same again and again. */
const remembered = 64;
const longestRemembered = 200;

function redactorOf(literals: readonly Literal[], names: readonly string[]): Redactor {
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
