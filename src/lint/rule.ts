import type { Diagnostic, Severity } from '../diagnostic/diagnostic.js';
import type { SourceText } from '../diagnostic/source.js';
import type { Graph } from '../graph/graph.js';
import type { CheckShell } from './shell-check.js';

/** What a rule is called and what it is for. */
export interface RuleDescription {
  /** The rule id, `start_node`; the file, the fixtures and the docs heading are called the same. */
  readonly name: string;
  readonly severity: Severity;
  /** What must hold, in one sentence. */
  readonly summary: string;
  /** Why it matters and what to do, for `attractor explain`. */
  readonly rationale?: string;
  /** Whether some of its findings bring edits that a machine can make. */
  readonly fixable?: true;
}

/** One lint rule (§7.4): a name, what it is for, and a function that finds its violations. */
export interface LintRule extends RuleDescription {
  /**
   * Set for a rule that reports what is missing: it does not run where a part of the text could not be read, because what
   * it misses may stand in that part.
   */
  readonly provesAbsence?: true;
  /** Set for a rule that asks the shell: without one it does not run. */
  readonly needsShell?: true;
  /** Set for a rule that looks for files: where nobody looks, it does not run. */
  readonly needsFiles?: true;
  /** Yields the findings in any order; never throws on a graph, however broken. */
  apply(graph: Graph, context: LintContext): Iterable<Finding>;
}

/** A diagnostic without its rule; the severity is the rule's unless the finding has its own. */
export type Finding = Omit<Diagnostic, 'rule' | 'severity'> & { readonly severity?: Severity };

export interface LintContext {
  /** The text that the graph came from, for mapping places inside of strings. */
  readonly source: SourceText;
  /** Every handler type that may stand in a `type` attribute: the built-in and the registered ones. */
  readonly handlerTypes: ReadonlySet<string>;
  /** Missing where there is no shell to ask, as in a browser. */
  readonly checkShell?: CheckShell;
  /** Whether a pipeline that the text names is there; missing where there are no files, as in a browser. */
  readonly childExists?: (child: string) => boolean;
}
