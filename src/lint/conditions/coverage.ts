import { type Choice, choicesOf, distinctLabel } from '../../graph/choices.js';
import type { JsonValue } from '../../graph/json.js';
import { perObject } from '../../graph/per-object.js';
import type { ProgramNode } from '../../graph/program.js';
import { type StageStatus, stageStatuses } from '../../graph/stage-status.js';
import type { ConditionSet, KnownRanges } from './condition-set.js';
import { allOf, negated } from './formula.js';
import { remembered } from './remembered.js';
import type { Range } from './representatives.js';
import type { Assignment } from './solve.js';
import type { StageEdges } from './stage-edges.js';

/** Coverage of a node whose edges all have conditions: does one of them always hold (SEMANTICS 22)? */
export type Coverage =
  /** One always holds, at least as long as numbers are numbers, and truth values truth values. */
  | { readonly kind: 'exhaustive' }
  /** Values for which no condition holds. */
  | {
      readonly kind: 'hole';
      readonly witness: Assignment;
      /** True if the conditions themselves mention all of these values. */
      readonly isMentioned: boolean;
    }
  /** Neither could be shown. */
  | { readonly kind: 'undecided' }
  /** The conditions use words that are not outcomes, which another rule reports (SEMANTICS 44g). */
  | { readonly kind: 'foreign' };

const statuses: readonly string[] = stageStatuses;

const noRanges: KnownRanges = new Map();

/**
 * Judges a node, with the words that keys are declared to have, after each of the outcomes except a failure, which ends the run with its own reason
 * (SEMANTICS 20).
 */
export function coverageOf(
  stage: StageEdges,
  expected: ReadonlySet<StageStatus>,
  declared: KnownRanges = noRanges,
): Coverage {
  const mentioned = stage.conditions?.mentionedOutcomes ?? [];
  if (mentioned.some((word) => !statuses.includes(word))) return { kind: 'foreign' };
  const outcomes = new Set<string>([...expected].filter((status) => status !== 'fail'));
  if (outcomes.size === 0) return { kind: 'exhaustive' };
  const ranges = rangesAt(stage.node);
  const set = stage.within(declared.size === 0 ? ranges : new Map([...ranges, ...declared]));
  if (set === undefined) return { kind: 'undecided' };
  let worst: Coverage = { kind: 'exhaustive' };
  for (const fixed of situationsAt(stage.node)) {
    const coverage = fixed.size === 0 ? coverageAnyway(set, outcomes) : coverageIn(set, outcomes, fixed);
    if (coverage.kind === 'hole' && coverage.isMentioned) return coverage;
    if (worst.kind === 'exhaustive' || (worst.kind === 'undecided' && coverage.kind === 'hole'))
      worst = coverage;
  }
  return worst;
}

/** Coverage without facts besides the conditions. */
const coverageAnyway = remembered((set, outcomes): Coverage => coverageIn(set, outcomes, nothing));

function coverageIn(set: ConditionSet, outcomes: ReadonlySet<string>, fixed: Situation): Coverage {
  const formula = allOf(set.formulas.map(negated));
  if (set.ask(formula, { outcomes, fixed, upTo: 'assumed' }).kind === 'impossible')
    return { kind: 'exhaustive' };
  if (set.isEntangled) return { kind: 'undecided' };
  for (const upTo of ['mentioned', 'possible'] as const) {
    const answer = set.ask(formula, { outcomes, fixed, upTo });
    if (answer.kind === 'satisfiable') {
      return { kind: 'hole', witness: answer.assignment, isMentioned: upTo === 'mentioned' };
    }
  }
  const mistyped = set.ask(formula, { outcomes, fixed, upTo: 'mistyped' });
  return mistyped.kind === 'satisfiable' ? { kind: 'exhaustive' } : { kind: 'undecided' };
}

const inEveryContext: KnownRanges = new Map<string, Range>([
  ['internal.restart_count', { kind: 'integer', highest: Number.MAX_SAFE_INTEGER }],
]);

const behindTool: KnownRanges = new Map<string, Range>([
  ...inEveryContext,
  ['tool.exit_code', { kind: 'integer', highest: 0 }],
]);

/** Ranges of keys that the handler of a node sets after a success (§4.6, §4.10, SEMANTICS 55, 59). */
export function rangesAt(node: ProgramNode): KnownRanges {
  if (node.handler.type === 'tool' && !node.allowPartial) return behindTool;
  if (node.handler.type !== 'wait.human') return inEveryContext;
  return rangesAtGate(node);
}

const rangesAtGate = perObject((node: ProgramNode): KnownRanges => {
  const ranges = new Map(inEveryContext);
  const situations = situationsAt(node);
  for (const key of situations[0]?.keys() ?? []) {
    const words = situations.map((situation) => String(situation.get(key) ?? ''));
    ranges.set(key, { kind: 'words', words: [...new Set(words)] });
  }
  return ranges;
});

type Situation = ReadonlyMap<string, JsonValue>;

const nothing: Situation = new Map();
const anySituation: readonly Situation[] = [nothing];

/** Facts that hold together: at a human gate, one choice at a time. */
export function situationsAt(node: ProgramNode): readonly Situation[] {
  if (node.handler.type !== 'wait.human') return anySituation;
  const choices = choicesOf(node.edges);
  return choices.map((choice) => answered(choices, choice));
}

/** Keys that a human gate sets after a choice (§4.6, SEMANTICS 55). */
export function answered(choices: readonly Choice[], choice: Choice): Situation {
  return new Map([
    ['preferred_label', distinctLabel(choices, choice) ?? ''],
    ['human.gate.selected', choice.key],
    ['human.gate.label', choice.label],
    ['human.gate.target', choice.to],
  ]);
}
