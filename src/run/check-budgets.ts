import { didYouMean } from '../diagnostic/did-you-mean.js';
import type { StageBudgets } from '../graph/budget-limit.js';
import { mayReachModel } from '../graph/handler-types.js';
import type { Program } from '../graph/program.js';
import { stageOverItsBudget } from '../machine/budget.js';
import { raisedLimit } from '../machine/budget-reports.js';
import type { RunState } from '../machine/state.js';
import { describeAmount } from '../machine/usage.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { RunError } from '../run-directory/run-error.js';
import { isOfChild } from './children/child-script.js';

/**
 * Checks the budgets that a call gives to stages; those of stages of a child are checked when it begins.
 * @throws RunError `usage` for a node that does not exist, or that never asks a model
 */
export function checkStageBudgets(program: Program, budgets: StageBudgets = {}): void {
  for (const id of Object.keys(budgets)) {
    const node = program.nodes.get(id);
    if (node === undefined && isOfChild(program, id)) continue;
    if (node === undefined) {
      const hint = didYouMean(id, [...program.nodes.keys()]);
      throw new RunError(
        'usage',
        `a budget is given for the stage "${id}", but the pipeline has no such node${hint}`,
      );
    }
    const { handler } = node;
    if (mayReachModel(handler)) continue;
    const why = handler.forks
      ? 'each of its branches has the budgets of its own stages: name those'
      : `a stage of type ${handler.type} asks no model`;
    throw new RunError('usage', `a budget is given for the stage "${id}", but ${why}`);
  }
}

/**
 * Refuses a larger budget of the run if that of a stage is used up, so that the run would pause again
 * before it does anything.
 * @throws RunError `usage`
 */
export function checkRaisedBudgets(
  program: Program,
  state: RunState,
  {
    budgetUsd,
    budgetTokens,
    stageBudgets,
  }: Pick<RecordedSettings, 'budgetUsd' | 'budgetTokens' | 'stageBudgets'>,
): void {
  for (const [unit, given] of [
    ['usd', budgetUsd],
    ['tokens', budgetTokens],
  ] as const) {
    const stopped = given === undefined ? undefined : stageOverItsBudget(program, state, unit, stageBudgets);
    if (stopped === undefined) continue;
    const { nodeId, limit, used } = stopped;
    const more = `${raisedLimit({ unit, limit }, used)}${unit === 'tokens' ? 'tokens' : ''}`;
    throw new RunError(
      'usage',
      `the stage "${nodeId}" has used ${describeAmount(unit, used)} of the ${describeAmount(unit, limit)} of its own budget (\`budget_${unit}\` of the stage); --budget-${unit} is for the whole run and does not raise it. Nothing was changed. Raise that of the stage: --stage-budget ${nodeId}=${more}`,
    );
  }
}
