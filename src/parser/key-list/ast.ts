import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';

/** A list of keys, such as `files: list, severity: low|high = low, token: string?` (SEMANTICS 100). */
export interface KeyList {
  readonly entries: readonly KeyEntry[];
}

/** A key as a list names it. All spans count from the start of the list's own text. */
export interface NamedKey {
  /** Without the `context.` or `state.` that may stand before it. */
  readonly key: string;
  readonly keySpan: Span;
}

/** One key of a list, with what is declared of it. */
export interface KeyEntry extends NamedKey {
  /** Undefined where the list names none: a value of any type. */
  readonly type?: ValueType;
  readonly typeSpan?: Span;
  /** True for `key?`: the value may be missing, or null. */
  readonly isOptional: boolean;
  readonly default?: Literal;
  /** From the key to the end of its type, `?` or default. */
  readonly span: Span;
}

export const typeNames = ['string', 'number', 'integer', 'boolean', 'list', 'map', 'any'] as const;

export type TypeName = (typeof typeNames)[number];

/** A type by its name, or the words that a text may be. */
export type ValueType =
  | { readonly kind: TypeName }
  | { readonly kind: 'words'; readonly words: readonly string[] };

/** A default: a JSON value, or one bare word, which is a text. */
export interface Literal {
  readonly value: LiteralValue;
  /** The characters of the list that spell it: a declared `string` takes them as they are. */
  readonly text: string;
  readonly span: Span;
}

export type LiteralValue =
  | string
  | number
  | boolean
  | null
  | readonly LiteralValue[]
  | { readonly [name: string]: LiteralValue };

export interface KeyListParseResult {
  /** Missing where the text has an error. */
  readonly list?: KeyList;
  /** The keys of all entries that could be read, also of those whose type or default has an error. */
  readonly keys: readonly NamedKey[];
  /** Rule `key_list_syntax`; spans within the list's own text. */
  readonly diagnostics: readonly Diagnostic[];
}
