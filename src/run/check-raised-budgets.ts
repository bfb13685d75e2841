import type { Program } from '../graph/program.js';
import { stageOverItsBudget } from '../machine/budget.js';
import type { RunState } from '../machine/state.js';
import { describeAmount } from '../machine/usage.js';

import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { RunError } from '../run-directory/run-error.js';

/**
 * Refuses a larger budget of the run if that of a stage is exceeded: the stage would start over and spend
 * as much again, which is never intended.
 * @throws RunError `usage`
 */
export function checkRaisedBudgets(
  program: Program,
  state: RunState,
  { budgetUsd, budgetTokens }: Pick<RecordedSettings, 'budgetUsd' | 'budgetTokens'>,
): void {
  for (const [unit, given] of [
    ['usd', budgetUsd],
    ['tokens', budgetTokens],
  ] as const) {
    const stopped = given === undefined ? undefined : stageOverItsBudget(program, state, unit);
    if (stopped === undefined) continue;
    const { nodeId, limit } = stopped;
    const amount = describeAmount(unit, limit);
    throw new RunError(
      'usage',
      `the stage "${nodeId}" has used up its own budget (\`budget_${unit}\` of the stage, ${amount}); --budget-${unit} is for the whole run and does not raise it. Nothing was changed. Resume the run without --budget-${unit}: "${nodeId}" then starts over and may use ${amount} again. To let it use more, set a larger \`budget_${unit}\` in the pipeline and start a new run`,
    );
  }
}
