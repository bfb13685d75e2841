import { type IToken, Lexer } from 'chevrotain';
import { type Diagnostic, hasErrors } from '../../diagnostic/diagnostic.js';
import { forShortTexts } from '../lexer-config.js';
import { builtInDecisions } from '../lookahead/decisions.js';
import { spanOf } from '../quoted-text.js';
import type { KeyEntry, KeyListParseResult, NamedKey } from './ast.js';
import { checkEntry } from './check-entry.js';
import { KeyListParser, type WrittenEntry } from './grammar.js';
import { explainKeyListError, keyListError } from './syntax-error.js';
import {
  Comma,
  keyListTokens,
  LeftBrace,
  LeftBracket,
  RightBrace,
  RightBracket,
  Semicolon,
} from './tokens.js';

/**
 * Parses a list of keys (SEMANTICS 100), as graph `inputs` and node `reads` and `writes` have them. Blank text is an empty list.
 * Never throws; a mistake in one entry hides none in the next.
 */
export function parseKeyList(text: string): KeyListParseResult {
  const { lexer, parser } = tools();
  const { tokens } = lexer.tokenize(text);
  const diagnostics: Diagnostic[] = [];
  const entries: KeyEntry[] = [];
  const keys: NamedKey[] = [];
  const groups: (readonly WrittenEntry[])[] = [];
  for (const group of betweenSeparators(tokens)) {
    const written = parser.parse(group);
    const [syntaxError] = parser.errors;
    if (syntaxError !== undefined) diagnostics.push(explainKeyListError(syntaxError.token, group));
    else groups.push(written);
  }
  const isTyped = groups.flat().some(hasMoreThanKey);
  for (const group of groups) {
    for (const [index, written] of group.entries()) {
      const previous = group[index - 1];
      if (isTyped && previous !== undefined) diagnostics.push(missingComma(previous, written, text));
      const checked = checkEntry(written, text);
      diagnostics.push(...checked.diagnostics);
      if (checked.named !== undefined) keys.push(checked.named);
      if (checked.entry !== undefined) entries.push(checked.entry);
    }
  }
  diagnostics.push(...repeatedKeys(keys, isTyped));
  diagnostics.sort((one, other) => one.span.start - other.span.start);
  return hasErrors(diagnostics) ? { keys, diagnostics } : { list: { entries }, keys, diagnostics };
}

/** The tokens between commas and semicolons that lie in no list or map. */
function betweenSeparators(tokens: readonly IToken[]): readonly IToken[][] {
  const groups: IToken[][] = [];
  let group: IToken[] = [];
  let depth = 0;
  for (const token of tokens) {
    const { tokenType } = token;
    if (tokenType === LeftBracket || tokenType === LeftBrace) depth += 1;
    if (tokenType === RightBracket || tokenType === RightBrace) depth -= 1;
    if (depth <= 0 && (tokenType === Comma || tokenType === Semicolon)) {
      groups.push(group);
      group = [];
      depth = 0;
    } else group.push(token);
  }
  groups.push(group);
  return groups.filter(({ length }) => length > 0);
}

function hasMoreThanKey({ type, question, literal }: WrittenEntry): boolean {
  return type.length > 0 || question !== undefined || literal !== undefined;
}

function missingComma(previous: WrittenEntry, { key }: WrittenEntry, text: string): Diagnostic {
  const { start, end } = previous.span;
  const finding = keyListError(
    spanOf(key),
    'missing_comma',
    `found "${key.image}" after "${text.slice(start, end)}"; expected a comma between them, because the list has types`,
  );
  return { ...finding, fix: { title: 'add the comma', edits: [{ span: { start: end, end }, text: ',' }] } };
}

function repeatedKeys(keys: readonly NamedKey[], isTyped: boolean): readonly Diagnostic[] {
  const seen = new Set<string>();
  const found: Diagnostic[] = [];
  for (const { key, keySpan } of keys) {
    if (seen.has(key)) {
      const finding = keyListError(keySpan, 'repeated_key', `"${key}" is already in the list`);
      found.push(isTyped ? finding : { ...finding, severity: 'warning' });
    }
    seen.add(key);
  }
  return found;
}

/** Tokens of a list of keys, even of an invalid one. @internal */
export function tokenizeKeyList(text: string): readonly IToken[] {
  return tools().lexer.tokenize(text).tokens;
}

interface Tools {
  readonly lexer: Lexer;
  readonly parser: KeyListParser;
}

let built: Tools | undefined;

/** Built once, when the first list is parsed: the analysis of the grammar takes some milliseconds. */
function tools(): Tools {
  built ??= {
    lexer: new Lexer([...keyListTokens], forShortTexts),
    parser: new KeyListParser({ skipValidations: true, decisions: builtInDecisions('keyList') }),
  };
  return built;
}
