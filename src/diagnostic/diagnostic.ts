import type { SourceText, Span } from './source.js';
import type { Witness } from './witness.js';

/** §7.1: an error stops a pipeline from running; a warning and a hint do not. */
export type Severity = 'error' | 'warning' | 'info';

export interface TextEdit {
  readonly span: Span;
  readonly text: string;
}

/**
 * Remedy for a diagnostic. `edits` is empty if only a person can make the change; otherwise the edits keep
 * or restore the evident meaning of the text, unless they are marked `unsafe`.
 */
export interface Fix {
  readonly title: string;
  readonly edits: readonly TextEdit[];
  /** Marks the edits as a guess: an editor may offer them, and nothing makes them automatically. */
  readonly unsafe?: boolean;
}

export interface RelatedLocation {
  readonly span: Span;
  readonly message: string;
  /** Text that the span points into, if it is not the compiled one: that of another file. */
  readonly source?: SourceText;
}

/** One finding about a pipeline's text (§7.1). A value, never thrown. Spans point into the compiled source. */
export interface Diagnostic {
  /** The rule that found it: `syntax` for the parser, else the id of a lint rule. */
  readonly rule: string;
  /** The kind of finding within the rule, where a rule has several (`missing_comma` of `syntax`). */
  readonly code?: string;
  readonly severity: Severity;
  /** Sentence with what was found and what was expected, without a full stop at the end. */
  readonly message: string;
  /** Position in the source; a finding about the whole graph points at the graph's name. */
  readonly span: Span;
  readonly nodeId?: string;
  readonly edge?: readonly [from: string, to: string];
  readonly related?: readonly RelatedLocation[];
  readonly fix?: Fix;
  /** Run in which it happens, for a finding that says what a run may do. */
  readonly witness?: Witness | undefined;
  /**
   * Set if the search for such a run was given up: the finding follows from the graph alone, and values of a run
   * may rule it out.
   */
  readonly unproved?: true | undefined;
  /** Set for a hint that holds for most good pipelines too: people see it on request only, programs always. */
  readonly quiet?: true;
}

/** Rule and code of a finding, as reports name it: `reachability`, `syntax/missing_comma`. */
export function findingKind({ rule, code }: Pick<Diagnostic, 'rule' | 'code'>): string {
  return code === undefined ? rule : `${rule}/${code}`;
}

/** True for a finding that people see on request only; one that a project made a warning is shown. */
export function isQuiet({ quiet, severity }: Diagnostic): boolean {
  return quiet === true && severity === 'info';
}

export function hasErrors(diagnostics: readonly Pick<Diagnostic, 'severity'>[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

export interface DiagnosticCounts {
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
}

export function countDiagnostics(diagnostics: readonly Pick<Diagnostic, 'severity'>[]): DiagnosticCounts {
  const counts = { errors: 0, warnings: 0, infos: 0 };
  for (const { severity } of diagnostics) {
    if (severity === 'error') counts.errors += 1;
    else if (severity === 'warning') counts.warnings += 1;
    else counts.infos += 1;
  }
  return counts;
}
