import { isReached, raisedLimit } from '../../machine/budget-reports.js';
import { shellWord } from '../run-name.js';

/** Budget of a paused run. */
interface ShownBudget {
  readonly unit: 'usd' | 'tokens';
  readonly limit: number;
  readonly used: number;
  /** Stage whose visit has it; missing or null for that of the run. */
  readonly node_id?: string | null;
}

interface PausedRun {
  readonly status: string;
  readonly budgets?: readonly ShownBudget[];
  /** Stages that are under way; by default all that the budgets name. */
  readonly stages?: readonly { readonly node_id: string }[];
}

/**
 * Arguments of `attractor resume` with larger budgets for a run that used-up ones have stopped, each with a blank
 * before: without them, it would only pause again.
 */
export function raisedBudgets({ status, budgets = [], stages }: PausedRun): string {
  if (status !== 'paused') return '';
  const isWaiting = (id: string): boolean => stages?.some((stage) => stage.node_id === id) ?? true;
  const spent = budgets.filter(
    ({ used, limit, node_id: id }) => isReached(used, limit) && (!id || isWaiting(id)),
  );
  return spent.map((budget) => ` ${argumentFor(budget)}`).join('');
}

function argumentFor(budget: ShownBudget): string {
  const { unit, used, node_id: id } = budget;
  const amount = raisedLimit(budget, used);
  if (!id) return `--budget-${unit} ${amount}`;
  return `--stage-budget ${shellWord(`${id}=${amount}${unit === 'tokens' ? 'tokens' : ''}`)}`;
}
