import type { Diagnostic, Severity } from '../diagnostic/diagnostic.js';
import type { SourceText } from '../diagnostic/source.js';
import type { Graph } from '../graph/graph.js';
import type { ChildPipeline, PipelineFiles } from './named-files.js';
import type { CheckShell } from './shell-check.js';

/** Name and purpose of a rule. */
export interface RuleDescription {
  /** Rule id, `start_node`; the file, the fixtures and the docs heading have the same name. */
  readonly name: string;
  readonly severity: Severity;
  /** Requirement of the rule, in one sentence. */
  readonly summary: string;
  /** Reason of the rule and advice, for `attractor explain`. */
  readonly rationale?: string;
  /** True if some of its findings have edits that can be made automatically. */
  readonly fixable?: true;
  /** Display of its findings in an editor: faded because it has no effect, or struck through because it is outdated. */
  readonly tag?: 'unnecessary' | 'deprecated';
}

/** Lint rule (§7.4): its name, its purpose, and a function that finds its violations. */
export interface LintRule extends RuleDescription {
  /**
   * Set for a rule that reports something missing: it does not run if a part of the text could not be read,
   * because that part may contain it.
   */
  readonly provesAbsence?: true;
  /** Set for a rule that follows control through the whole graph: an editor checks it in a pause, not at every key. */
  readonly followsFlow?: true;
  /** Set for a rule that asks the shell: without one it does not run. */
  readonly needsShell?: true;
  /** Set for a rule that looks for programs: without a machine to look at it does not run. */
  readonly needsPrograms?: true;
  /** Set for a rule that looks for files: without access to them it does not run. */
  readonly needsFiles?: true;
  /** Yields the findings in any order; never throws on a graph, however broken. */
  apply(graph: Graph, context: LintContext): Iterable<Finding>;
}

/** Diagnostic without its rule; the severity is the rule's unless the finding has its own. */
export type Finding = Omit<Diagnostic, 'rule' | 'severity'> & { readonly severity?: Severity };

export interface LintContext {
  /** Source text of the graph, for positions inside of strings. */
  readonly source: SourceText;
  /** Handler types that are valid in a `type` attribute: the built-in and the registered ones. */
  readonly handlerTypes: ReadonlySet<string>;
  /** Missing if there is no shell to ask, as in a browser. */
  readonly checkShell?: CheckShell;
  /** True if a shell finds a program by its name; missing where no machine is meant, as in a browser. */
  readonly isInstalled?: (program: string) => boolean;
  /** Files that the text may name; missing if there are none, as in a browser. */
  readonly files?: PipelineFiles;
  /**
   * Returns the pipeline that a stage names, by the path in the text: undefined if it is nested too deep to
   * be looked at. Missing if there are no files, as in a browser.
   */
  readonly childPipeline?: (child: string) => ChildPipeline | undefined;
}
