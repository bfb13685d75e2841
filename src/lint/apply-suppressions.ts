import type { Diagnostic } from '../diagnostic/diagnostic.js';
import { excerpt } from '../diagnostic/excerpt.js';
import type { SourceText } from '../diagnostic/source.js';
import type { DotDocument } from '../parser/dot/ast.js';
import { nameSuggester } from './name-suggester.js';
import { readingRules } from './reading-rules.js';
import type { LintRule } from './rule.js';
import { applyRuleSettings, builtInRuleIds, isAdjustable, type RuleSetting } from './rule-settings.js';
import { type SuppressedLines, suppressedLines } from './suppressed-lines.js';
import { type SuppressedRule, type Suppression, suppressionsIn, suppressionWords } from './suppressions.js';
import { unusedFixes } from './unused-fixes.js';

/** Checked text, with which comments are compared. */
export interface SuppressionContext {
  readonly source: SourceText;
  readonly document: DotDocument;
  /** Rules besides the built-in ones. */
  readonly rules?: readonly LintRule[];
  /**
   * Rules that were applied; undefined if something could not be read, so that missing findings prove
   * nothing.
   */
  readonly ran: readonly LintRule[] | undefined;
  readonly ruleSettings?: ReadonlyMap<string, RuleSetting>;
}

/** Rule about the comments themselves. */
export const unusedSuppression = 'unused_suppression';

/**
 * Findings without those that a comment suppresses, and with one for each comment without effect. Rules
 * whose severity is fixed (§7.1) cannot be suppressed. Comments may suppress findings about other comments
 * too.
 */
export function applySuppressions(
  diagnostics: readonly Diagnostic[],
  context: SuppressionContext,
): readonly Diagnostic[] {
  const suppressions = suppressionsIn(context.source, context.document.comments);
  if (suppressions.length === 0) return diagnostics;
  const filter = new SuppressionFilter(suppressions, suppressedLines(context.source, context.document));
  const knownNames = new Set([...builtInRuleIds, ...(context.rules ?? []).map(({ name }) => name)]);
  const about = {
    text: context.source.text,
    known: knownNames,
    suggest: nameSuggester(knownNames),
    complete: completeRules(context),
    filter,
  };
  const unsuppressed = diagnostics.filter((diagnostic) => !filter.suppresses(diagnostic));
  const others = suppressions.flatMap((one) => findingsAbout(one, about, isAboutOthers));
  const visible = others.filter((diagnostic) => !filter.suppresses(diagnostic));
  const unusedSuppressions = suppressions.flatMap((one) => findingsAbout(one, about, isAboutThese));
  return [...unsuppressed, ...applyRuleSettings([...visible, ...unusedSuppressions], context.ruleSettings)];
}

/** Rules with all of their possible findings; a comment about another one may be useful. */
function completeRules({ ran, ruleSettings }: SuppressionContext): ReadonlySet<string> {
  if (ran === undefined) return new Set();
  const others = readingRules.filter(({ saidBy }) => saidBy === 'lowering' || saidBy === 'comments');
  const names = [...ran, ...others].map(({ name }) => name);
  return new Set(names.filter((name) => ruleSettings?.get(name) !== 'off'));
}

interface About {
  readonly text: string;
  readonly known: ReadonlySet<string>;
  readonly suggest: (word: string) => string | undefined;
  readonly complete: ReadonlySet<string>;
  readonly filter: SuppressionFilter;
}

const isAboutThese = ({ name }: SuppressedRule): boolean => name === unusedSuppression;
const isAboutOthers = (rule: SuppressedRule): boolean => !isAboutThese(rule);

/** Finds the comments that suppress a finding, and remembers those that have done so. */
class SuppressionFilter {
  readonly #lines: SuppressedLines;
  readonly #inFile = new Map<string, SuppressedRule[]>();
  readonly #onLine = new Map<string, SuppressedRule[]>();
  readonly #used = new Set<SuppressedRule>();

  constructor(suppressions: readonly Suppression[], lines: SuppressedLines) {
    this.#lines = lines;
    for (const { kind, rules, span } of suppressions) {
      const line = kind === 'next_line' ? lines.lineAfter(span) : undefined;
      for (const rule of rules) {
        if (kind === 'file') append(this.#inFile, rule.name, rule);
        else if (line !== undefined) append(this.#onLine, keyOf(rule.name, line), rule);
      }
    }
  }

  suppresses({ rule, span }: Diagnostic): boolean {
    if (!isAdjustable(rule)) return false;
    const nearest = this.#lines.linesOf(span).flatMap((line) => this.#onLine.get(keyOf(rule, line)) ?? []);
    const cached = nearest.length > 0 ? nearest : (this.#inFile.get(rule) ?? []);
    for (const one of cached) this.#used.add(one);
    return cached.length > 0;
  }

  isUsed(rule: SuppressedRule): boolean {
    return this.#used.has(rule);
  }
}

function keyOf(rule: string, line: number): string {
  return `${line} ${rule}`;
}

function append<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function findingsAbout(
  suppression: Suppression,
  { text, known: knownNames, suggest, complete, filter }: About,
  isWanted: (rule: SuppressedRule) => boolean,
): readonly Diagnostic[] {
  const { kind, word, rules, span } = suppression;
  if (kind === 'unknown' || rules.length === 0) {
    if (isWanted !== isAboutOthers) return [];
    return [kind === 'unknown' ? unknownWord(suppression) : finding(span, 'no_rule', noRuleText(word))];
  }
  const isUnused = (rule: SuppressedRule) =>
    isAdjustable(rule.name) && !filter.isUsed(rule) && complete.has(rule.name);
  const fixes = unusedFixes(suppression, new Set(rules.filter(isUnused)), text);
  return rules.filter(isWanted).flatMap((rule): readonly Diagnostic[] => {
    const name = excerpt(rule.name);
    if (!knownNames.has(rule.name)) {
      const nearest = suggest(rule.name);
      const hint = nearest === undefined ? '' : ` (did you mean ${excerpt(nearest)}?)`;
      return [finding(rule.span, 'unknown_rule', `there is no rule ${name}${hint}`)];
    }
    if (!isAdjustable(rule.name)) {
      const reason = 'a pipeline with such a finding cannot run';
      return [finding(rule.span, 'fixed_rule', `findings of ${name} cannot be suppressed: ${reason}`)];
    }
    const fix = fixes.get(rule);
    if (fix === undefined) return [];
    const where = kind === 'file' ? 'in this file' : 'on the next line';
    const message = `${name} has no finding ${where} to suppress`;
    return [{ ...finding(rule.span, 'unused', message), fix }];
  });
}

function noRuleText(word: string): string {
  return `this comment suppresses nothing: name the rules after ${word}, separated by commas`;
}

function unknownWord({ word, span }: Suppression): Diagnostic {
  const words = suppressionWords.join(' and ');
  return finding(span, 'unknown_word', `${excerpt(word)} is not a suppression comment; use ${words}`);
}

function finding(span: Diagnostic['span'], code: string, message: string): Diagnostic {
  return { rule: unusedSuppression, code, severity: 'warning', message, span };
}
