import { type Diagnostic, hasErrors } from '../diagnostic/diagnostic.js';
import { distrustFixes } from '../diagnostic/distrust-fixes.js';
import { sortDiagnostics } from '../diagnostic/sort-diagnostics.js';
import { SourceText } from '../diagnostic/source.js';
import type { Graph } from '../graph/graph.js';
import type { HandlerType } from '../graph/handler-types.js';
import { knownHandlerTypes } from '../graph/known-handler-types.js';
import { lower } from '../graph/lower.js';
import { buildProgram, type Program } from '../graph/program.js';
import type { NamedProperty } from '../graph/properties/monitor.js';
import { applySuppressions } from '../lint/apply-suppressions.js';
import { lintSteps, runToEnd } from '../lint/lint.js';
import type { PipelineFiles } from '../lint/named-files.js';
import { renameUses } from '../lint/rename-uses.js';
import type { LintRule } from '../lint/rule.js';
import { applyRuleSettings, isAdjustable, type RuleSetting } from '../lint/rule-settings.js';
import { builtInRules } from '../lint/rules/index.js';
import type { CheckShell } from '../lint/shell-check.js';
import type { DotDocument, DotParseResult } from '../parser/dot/ast.js';
import { losesText } from '../parser/dot/loses-text.js';
import { parseDot } from '../parser/dot/parse.js';
import { applyTransforms, builtInTransforms, type TransformLike } from '../transforms/index.js';
import { ChildPipelines } from './child-pipelines.js';
import { inlinePrompts } from './inline-prompts.js';

export interface CompileOptions {
  /** Name of the text in messages: a path as the user gave it. */
  readonly name?: string;
  /** Run after the built-in transforms, in this order (§9.3). */
  readonly transforms?: readonly TransformLike[];
  /** Run after the built-in rules (§7.4). */
  readonly rules?: readonly LintRule[];
  /** Handler types that the program registers besides the built-in ones (§4.12): their names, or their facts. */
  readonly handlerTypes?: Iterable<string | HandlerType>;
  /**
   * Severities that differ from the rules' own; a rule that guards what every program is built on keeps its
   * own.
   */
  readonly ruleSettings?: ReadonlyMap<string, RuleSetting>;
  /**
   * Asks the shell whether it can read the commands of tools (`shell_syntax`); if absent, that rule is not
   * checked.
   */
  readonly checkShell?: CheckShell;
  /**
   * Looks for a program that a command starts by its name (`program_missing`); if absent, that rule is not
   * checked.
   */
  readonly isInstalled?: (program: string) => boolean;
  /**
   * Files that the text names. With them the pipelines that stages run are compiled too (`child_exists`,
   * `child_errors`, `child_inputs`); if absent, these rules are not checked.
   */
  readonly files?: PipelineFiles;
  /** Leaves out the rules that follow control through the whole graph, for an answer between two keys. */
  readonly withoutFlow?: boolean;
  /** Properties besides those of the text, which it cannot switch off (SEMANTICS 144). */
  readonly properties?: readonly NamedProperty[];
  /** Maximum of reported syntax errors, and of parser warnings; default 100 each. */
  readonly findingLimit?: number;
}

export interface Compilation {
  readonly source: SourceText;
  /** The text with the prompts of files in it, for a run directory; else the text of the source. */
  readonly wholeText: string;
  readonly document: DotDocument;
  /** After the transforms; empty where the text has no readable `digraph NAME {`. */
  readonly graph: Graph;
  /** Missing if a diagnostic is an error: such a pipeline does not run (§7.1). */
  readonly program?: Program;
  /** All findings, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The whole way from a text to a program (§9.1, SEMANTICS 47c): parse, lower, transform, lint, build. Never throws on a text. */
export function compile(text: string, options: CompileOptions = {}): Compilation {
  return runToEnd(compileSteps(text, options));
}

/** The same in steps, one for each rule of lint, between which an editor reads the next key, or gives up. */
export function compileSteps(text: string, options: CompileOptions = {}): Generator<undefined, Compilation> {
  const { files } = options;
  if (files === undefined) return compileWith(text, options, undefined);
  return compileWith(
    text,
    options,
    new ChildPipelines(files, (file, children) =>
      runToEnd(compileWith(file.text, { ...options, name: file.name, files: file.files }, children)),
    ),
  );
}

/**
 * Compiles a text that lint has judged before, with the same options: without lint, and so without its findings.
 * @param isRunnable false if lint has found an error, so that there is no program
 */
export function compileJudged(text: string, options: CompileOptions, isRunnable: boolean): Compilation {
  return runToEnd(compileWith(text, options, undefined, isRunnable ? 'runnable' : 'with_errors'));
}

/** @param children pipelines that its stages run; undefined without files */
function* compileWith(
  text: string,
  options: CompileOptions,
  children: ChildPipelines | undefined,
  judged?: 'runnable' | 'with_errors',
): Generator<undefined, Compilation> {
  const source = new SourceText(options.name ?? '<input>', text);
  const handlerTypes = knownHandlerTypes(options.handlerTypes);

  const parsed = parseDot(text, options);
  const { document } = parsed;

  const lowered = lower(document);

  const inlined = inlinePrompts(lowered.graph, source, options.files);
  const graph = applyTransforms(inlined.graph, [...builtInTransforms, ...(options.transforms ?? [])]);

  children?.begin({ source, graph });
  const { checkShell, isInstalled } = options;
  const childPipeline = children && ((child: string) => children.read(child));
  const isOff = ({ name, needsShell, needsPrograms, needsFiles, followsFlow }: LintRule) =>
    (followsFlow && options.withoutFlow === true) ||
    (isAdjustable(name) && options.ruleSettings?.get(name) === 'off') ||
    (needsShell && !checkShell) ||
    (needsPrograms && !isInstalled) ||
    (needsFiles && children === undefined);
  const all = judged ? [] : [...builtInRules, ...(options.rules ?? [])];
  const rules = rulesFor(parsed, all).filter((rule) => !isOff(rule));
  const findings = yield* lintSteps(
    graph,
    { source, handlerTypes, checkShell, isInstalled, files: options.files, childPipeline },
    rules,
  );
  const renamed = judged ? [] : renameUses(parsed, graph, source);
  const found = [...renamed, ...lowered.diagnostics, ...findings];
  const wanted = applyRuleSettings(distrustFixes(found, parsed.doubtfulFrom), options.ruleSettings);
  const ran = isWhole(parsed) ? rules : undefined;
  const diagnostics = sortDiagnostics(applySuppressions(wanted, { source, document, ran, ...options }));
  const { text: wholeText } = inlined;
  if (judged === 'with_errors' || hasErrors(diagnostics))
    return { source, wholeText, document, graph, diagnostics };

  const program = buildProgram(graph, handlerTypes, options.properties);
  return { source, wholeText, document, graph, program, diagnostics };
}

/**
 * No rules for a graph that could not be read, and only those that prove nothing from absence if parts of
 * it could not.
 */
function rulesFor(parsed: DotParseResult, rules: readonly LintRule[]): readonly LintRule[] {
  if (parsed.document.graph === undefined) return [];
  return isWhole(parsed) ? rules : rules.filter((rule) => !rule.provesAbsence);
}

function isWhole({ document, diagnostics, doubtfulFrom }: DotParseResult): boolean {
  return document.graph !== undefined && doubtfulFrom === undefined && !losesText(diagnostics);
}
