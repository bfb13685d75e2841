import { applyFixes, safelyFixable } from '../diagnostic/apply-fixes.js';
import type { Diagnostic } from '../diagnostic/diagnostic.js';
import { addsErrors } from './adds-errors.js';

export interface StableText {
  readonly text: string;
  /** Fixed findings, in the order in which they were fixed; positions refer to the text at that time. */
  readonly fixed: readonly Diagnostic[];
  /** Findings left in the text although they have a safe fix, because that fix would add an error. */
  readonly withheld: readonly Diagnostic[];
}

/** Intermediate text, with the findings about it. */
interface Round {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  /** Fixes that led to it. */
  readonly fixed: readonly Diagnostic[];
}

/** Maximum of rounds, far more than dependent fixes ever need; it ends those that trigger each other. */
const mostRounds = 100;
/** Maximum growth of a text by its fixes: another limit for those that trigger each other. */
const mostGrowth = { factor: 4, characters: 10_000 };
/** Maximum of texts to be checked to find out which fixes of a text add errors. */
const mostTrials = 500;

/**
 * Applies the safe fixes of `check`, again and again until nothing more can be fixed (SEMANTICS 98). No fix
 * is kept that adds an error. If fixes undo one another, one of the texts between which they alternate is
 * taken, the same from whichever of them it began.
 */
export function fixUntilStable(text: string, check: (text: string) => readonly Diagnostic[]): StableText {
  const rounds: Round[] = [{ text, diagnostics: check(text), fixed: [] }];
  const trials = { left: mostTrials };
  for (;;) {
    const current = rounds.at(-1);
    if (current === undefined) throw new Error('there is always a round');
    const { next, withheld } = nextRound(current, check, trials);
    if (next === undefined || rounds.length > mostRounds) return stable(rounds, withheld);
    if (next.text.length > mostGrowth.factor * text.length + mostGrowth.characters)
      return stable(rounds, withheld);
    const again = rounds.findIndex((round) => round.text === next.text);
    if (again !== -1) return stable(rounds.slice(0, leastText(rounds, again) + 1), []);
    rounds.push(next);
  }
}

function stable(rounds: readonly Round[], withheld: readonly Diagnostic[]): StableText {
  return { text: rounds.at(-1)?.text ?? '', fixed: rounds.flatMap(({ fixed }) => fixed), withheld };
}

/** Round from `first` on whose text comes first in the order of code units. */
function leastText(rounds: readonly Round[], first: number): number {
  let least = first;
  for (let index = first + 1; index < rounds.length; index += 1) {
    if ((rounds[index]?.text ?? '') < (rounds[least]?.text ?? '')) least = index;
  }
  return least;
}

interface Step {
  readonly next: Round | undefined;
  readonly withheld: readonly Diagnostic[];
}

/**
 * Next round. Fixes that yielded to others are tried in it, or in this round if the others add
 * errors.
 */
function nextRound(current: Round, check: (text: string) => readonly Diagnostic[], trials: Trials): Step {
  const withheld = new Set<Diagnostic>();
  for (;;) {
    const candidates = safelyFixable(current.diagnostics).filter((diagnostic) => !withheld.has(diagnostic));
    const { applied } = applyFixes(current.text, candidates);
    if (applied.length === 0) return { next: undefined, withheld: [...withheld] };
    const next = applyHarmless(current, applied, check, trials);
    if (next.fixed.length > 0) return { next, withheld: [...withheld] };
    for (const diagnostic of applied) withheld.add(diagnostic);
  }
}

interface Trials {
  left: number;
}

/** Applies all fixes if together they add no error, else as many as halving them finds. */
function applyHarmless(
  current: Round,
  fixes: readonly Diagnostic[],
  check: (text: string) => readonly Diagnostic[],
  trials: Trials,
): Round {
  const attempt = (before: Round, added: readonly Diagnostic[]): Round | undefined => {
    const { text, applied } = applyFixes(current.text, [...before.fixed, ...added]);
    const diagnostics = check(text);
    return addsErrors(current.diagnostics, diagnostics) ? undefined : { text, diagnostics, fixed: applied };
  };
  let bestRound: Round = { ...current, fixed: [] };
  const waiting = [fixes];
  while (waiting.length > 0) {
    const some = waiting.pop() ?? [];
    if (trials.left === 0) break;
    trials.left -= 1;
    const next = attempt(bestRound, some);
    if (next !== undefined) bestRound = next;
    else if (some.length > 1) {
      const middle = some.length >> 1;
      waiting.push(some.slice(middle), some.slice(0, middle));
    }
  }
  return bestRound;
}
