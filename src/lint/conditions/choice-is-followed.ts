import { type Choice, distinctLabel } from '../../graph/choices.js';
import { selectUnconditional } from '../../graph/select-edge.js';
import { answered, rangesAt } from './coverage.js';
import { allOf, negated } from './formula.js';
import type { StageEdges } from './stage-edges.js';

/**
 * True if a choice of a person at a human gate can lead to its target: by a condition that can hold then,
 * or, if all conditions can fail, by the selection among the plain edges (§3.3, SEMANTICS 55). True if that
 * is unknown.
 */
export function choiceIsFollowed(stage: StageEdges, choices: readonly Choice[], choice: Choice): boolean {
  const set = stage.within(rangesAt(stage.node));
  if (set === undefined) return true;
  const assumptions = {
    outcomes: new Set(['success']),
    upTo: 'assumed',
    fixed: answered(choices, choice),
  } as const;
  const isPossible = (...formulas: Parameters<typeof allOf>[0]): boolean =>
    set.ask(allOf(formulas), assumptions).kind !== 'impossible';
  const { formulas } = set;
  for (const [index, edge] of stage.conditional.entries()) {
    const formula = formulas[index];
    if (edge.to !== choice.to || formula === undefined) continue;
    if (isPossible(formula, ...formulas.slice(0, index).map(negated))) return true;
  }
  const label = distinctLabel(choices, choice);
  const outcome = { suggested_next_ids: [choice.to], preferred_label: label };
  const selected = selectUnconditional(stage.plain, outcome);
  return selected?.edge.to === choice.to && isPossible(...formulas.map(negated));
}
