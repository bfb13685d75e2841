import type { BudgetOverview } from '../../view/fold/run-view.js';
import { formatCount, formatMoney } from '../../view/format-values.js';

const almost = 0.8;

/** Used part of a budget (SEMANTICS §12), by a bar and in words. */
export function BudgetBar({ budget }: { readonly budget: BudgetOverview }) {
  const { unit, limit, used, node_id: nodeId } = budget;
  const share = limit > 0 ? used / limit : 1;
  const text = (amount: number): string =>
    unit === 'usd' ? formatMoney(amount) : `${formatCount(amount)} tokens`;
  const state = share >= 1 ? 'failed' : share >= almost ? 'waiting' : 'done';
  const who = nodeId === null ? 'Budget' : `Budget of ${nodeId}`;
  return (
    <div class="budget" data-state={state}>
      <span class="small">
        {who}: <span class="number">{text(used)}</span> of <span class="number">{text(limit)}</span>
        {share >= 1 ? ', used up' : ''}
      </span>
      <div class="budget-bar" aria-hidden="true">
        <div class="budget-used" style={{ width: `${Math.min(100, share * 100)}%` }} />
      </div>
    </div>
  );
}
