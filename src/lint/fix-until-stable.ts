import { applyFixes, safelyFixable } from '../diagnostic/apply-fixes.js';
import type { Diagnostic } from '../diagnostic/diagnostic.js';
import { addsErrors } from './adds-errors.js';

export interface StableText {
  readonly text: string;
  /** What was fixed, in the order in which it was; places are those of the text as it was then. */
  readonly fixed: readonly Diagnostic[];
  /** What is left in the text although it has a safe fix, because that fix would add an error. */
  readonly withheld: readonly Diagnostic[];
}

/** A text that was reached, and what is said about it. */
interface Round {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  /** What was fixed to get there. */
  readonly fixed: readonly Diagnostic[];
}

/** Far more than fixes that wait for one another ever need; it ends those that feed one another. */
const mostRounds = 100;
/** How much a text may grow by its fixes: another bound for those that feed one another. */
const mostGrowth = { factor: 4, characters: 10_000 };
/** How many texts are looked at to find out which of the fixes of a text add errors. */
const mostTrials = 500;

/**
 * Applies the safe fixes of what `check` finds, again and again until nothing more can be fixed (SEMANTICS 98). No fix is
 * kept that adds an error. Where fixes undo one another, one of the texts between which they go back and forth is taken, the
 * same from whichever of them it began.
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

/** The round from `first` on whose text comes first in the order of code units. */
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

/** Fixes that had to make way for others get their turn in the next round, or in this one where the others add errors. */
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

/** All of the fixes if together they add no error, else as many as halving them finds. */
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
  let kept: Round = { ...current, fixed: [] };
  const waiting = [fixes];
  while (waiting.length > 0) {
    const some = waiting.pop() ?? [];
    if (trials.left === 0) break;
    trials.left -= 1;
    const next = attempt(kept, some);
    if (next !== undefined) kept = next;
    else if (some.length > 1) {
      const middle = some.length >> 1;
      waiting.push(some.slice(middle), some.slice(0, middle));
    }
  }
  return kept;
}
