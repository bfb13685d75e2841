import type { Span } from '../../diagnostic/source.js';

/** A text with values to be filled in at run time (SEMANTICS §12). Spans count from the start of the text. */
export interface Template {
  readonly text: string;
  /** In their order; two literals never meet. */
  readonly parts: readonly TemplatePart[];
}

export type TemplatePart = LiteralPart | ValuePart | MalformedPart;

/** What stands there as it is; shorter than its span where `$$` was read as a dollar sign. */
export interface LiteralPart {
  readonly kind: 'literal';
  readonly text: string;
  readonly span: Span;
}

/** `${path}`. The span has the dollar sign and the braces. */
export interface ValuePart {
  readonly kind: 'value';
  readonly path: string;
  readonly span: Span;
}

/** Begins like a value and has no readable path, such as `${context.a-b}`: it is left as it is written. */
export interface MalformedPart {
  readonly kind: 'malformed';
  readonly text: string;
  readonly span: Span;
}

/** A shell command with values to be filled in at run time, each with the way in which it is quoted there. */
export interface ShellTemplate {
  readonly text: string;
  readonly parts: readonly ShellPart[];
}

export type ShellPart = LiteralPart | MalformedPart | ShellValuePart | RefusedPart;

export interface ShellValuePart extends Omit<ValuePart, 'kind'> {
  readonly kind: 'value';
  readonly quoting: ShellQuoting;
}

/** A value where it cannot be put without changing what the command does. */
export interface RefusedPart extends Omit<ValuePart, 'kind'> {
  readonly kind: 'refused';
  readonly place: RefusedPosition;
}

/**
 * How the shell reads a place: by itself, within double quotes (also in a here-document), within single quotes, or as a
 * number in `$((…))`.
 */
export type ShellQuoting = 'unquoted' | 'double' | 'single' | 'arithmetic';

export type RefusedPosition =
  | 'quoted_here_document'
  | 'here_document_delimiter'
  | 'ansi_string'
  | 'parameter_expansion'
  | 'backticks'
  | 'unclear';
