import type { Span } from '../../diagnostic/source.js';

/** Text with values to be filled in at run time (SEMANTICS §12). Spans count from the start of the text. */
export interface Template {
  readonly text: string;
  /** Parts in their order; two literals are never adjacent. */
  readonly parts: readonly TemplatePart[];
}

export type TemplatePart = LiteralPart | ValuePart | MalformedPart;

/** Literal text; shorter than its span if `$$` was read as a dollar sign. */
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

/**
 * Part that begins like a value but has no readable path, such as `${context.a-b}`: it stays as it is
 * written.
 */
export interface MalformedPart {
  readonly kind: 'malformed';
  readonly text: string;
  readonly span: Span;
}

/** Shell command with values to be filled in at run time, each with its quoting. */
export interface ShellTemplate {
  readonly text: string;
  readonly parts: readonly ShellPart[];
}

export type ShellPart = LiteralPart | MalformedPart | ShellValuePart | RefusedPart;

export interface ShellValuePart extends Omit<ValuePart, 'kind'> {
  readonly kind: 'value';
  readonly quoting: ShellQuoting;
}

/** Value at a position where it cannot be inserted without changing what the command does. */
export interface RefusedPart extends Omit<ValuePart, 'kind'> {
  readonly kind: 'refused';
  readonly place: RefusedPosition;
}

/**
 * Quoting of a position in a shell command: none, within double quotes (also in a here-document), within
 * single quotes, or as a number in `$((…))`.
 */
export type ShellQuoting = 'unquoted' | 'double' | 'single' | 'arithmetic';

export type RefusedPosition =
  | 'quoted_here_document'
  | 'here_document_delimiter'
  | 'ansi_string'
  | 'parameter_expansion'
  | 'backticks'
  | 'unclear';
