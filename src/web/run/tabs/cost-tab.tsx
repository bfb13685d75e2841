import { tokensOf, type Usage } from '../../../machine/usage.js';
import { budgetsOf } from '../../../view/budgets.js';
import type { ModelUsage } from '../../../view/fold/run-view.js';
import { formatCount, formatMoney } from '../../../view/format-values.js';
import { EmptyState } from '../../ui/empty-state.jsx';
import { BudgetBar } from '../budget-bar.jsx';
import type { LiveRun } from '../model/live-run.js';

interface CostTabProps {
  readonly live: LiveRun;
  readonly onOpen: (nodeId: string) => void;
}

/** Costs of a run's models, by stage and by model, and its budgets (SEMANTICS §12). */
export function CostTab({ live, onOpen }: CostTabProps) {
  const { usage } = live.now().view;
  const { total, byNode, byModel, unpriced } = usage;
  const budgets = budgetsOf(usage);
  if (total.requests === 0 && budgets.length === 0)
    return (
      <EmptyState title="No model was used so far">
        <p>Stages that ask a model say here what that has cost, by stage and by model.</p>
      </EmptyState>
    );
  return (
    <div class="stack cost">
      {budgets.map((budget) => (
        <BudgetBar key={`${budget.unit} ${budget.node_id}`} budget={budget} />
      ))}
      {unpriced.size > 0 && (
        <p class="notice" data-state="waiting">
          No price is known for {[...unpriced.keys()].join(', ')}; their cost is in no sum.
        </p>
      )}
      <UsageTable
        title="By stage"
        what="Stage"
        rows={[...byNode].map(([id, node]) => [id, node.usage])}
        total={total}
        name={(id) => (
          <button type="button" class="link" onClick={() => onOpen(id)}>
            {id}
          </button>
        )}
      />
      <UsageTable
        title="By model"
        what="Model"
        rows={[...byModel.values()].map((one) => [nameOfModel(one), one.usage])}
        total={total}
        name={(model) => model}
      />
    </div>
  );
}

function nameOfModel({ provider, model }: ModelUsage): string {
  if (provider === '' && model === '') return 'not named';
  return provider === '' ? model : `${provider}/${model}`;
}

interface UsageTableProps {
  readonly title: string;
  readonly what: string;
  readonly rows: readonly (readonly [string, Usage])[];
  readonly total: Usage;
  readonly name: (key: string) => preact.ComponentChildren;
}

function UsageTable({ title, what, rows, total, name }: UsageTableProps) {
  const sorted = [...rows].sort(([, one], [, other]) => weightOf(other) - weightOf(one));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys
    <section class="table-scroll" tabIndex={0} aria-label={title}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{what}</th>
            <th scope="col" class="cell-number">
              Requests
            </th>
            <th scope="col" class="cell-number">
              Tokens in
            </th>
            <th scope="col" class="cell-number">
              from cache
            </th>
            <th scope="col" class="cell-number">
              Tokens out
            </th>
            <th scope="col" class="cell-number">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(([key, usage]) => (
            <tr key={key}>
              <th scope="row">{name(key)}</th>
              <UsageCells usage={usage} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">All</th>
            <UsageCells usage={total} />
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

function UsageCells({ usage }: { readonly usage: Usage }) {
  const { requests, input_tokens, cached_input_tokens, output_tokens, cost_usd } = usage;
  return (
    <>
      <td class="cell-number">{formatCount(requests)}</td>
      <td class="cell-number">{formatCount(input_tokens)}</td>
      <td class="cell-number">
        {cached_input_tokens === undefined ? '–' : formatCount(cached_input_tokens)}
      </td>
      <td class="cell-number">{formatCount(output_tokens)}</td>
      <td class="cell-number">{cost_usd === undefined ? '–' : formatMoney(cost_usd)}</td>
    </>
  );
}

/** Sort weight of a usage: by cost; without prices, by tokens. */
function weightOf(usage: Usage): number {
  return (usage.cost_usd ?? 0) * 1e9 + tokensOf(usage);
}
