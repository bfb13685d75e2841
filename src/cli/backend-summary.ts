import { simulateBackend } from '../backends/simulate-backend.js';
import { listFirst } from '../diagnostic/list-first.js';
import type { BudgetLimit } from '../graph/budget-limit.js';
import type { ModelChoice } from '../graph/model-choice.js';
import type { Program } from '../graph/program.js';
import { simulatedProvider } from '../handlers/simulated-provider.js';
import type { RunEvent } from '../machine/event.js';
import { describeUsd } from '../machine/usage.js';
import type { BackendPlan, OwnPlan } from '../setup/backend-plan.js';
import type { ModelStage } from '../setup/model-stages.js';
import { workerOf } from '../setup/worker-of.js';
import { recordedPlan } from './replayed-run.js';

/**
 * Models and agents with their stages, for people, before anything costs money; undefined if only a plugin
 * does the work, or none is needed.
 */
export function backendSummary(plan: BackendPlan): string | undefined {
  if (plan.kind === 'none' || plan.kind === 'plugin') return undefined;
  const stages = new Map<string, string[]>();
  for (const stage of plan.stages) {
    const who = describeWorker(plan, stage);
    if (who !== undefined) stages.set(who, [...(stages.get(who) ?? []), stage.id]);
  }
  if (stages.size === 0) return undefined;
  return [...stages].map(([who, ids]) => `${who} for ${listFirst(ids)}`).join('; ');
}

function describeWorker(plan: OwnPlan, stage: ModelStage): string | undefined {
  if (stage.asked.provider === simulatedProvider) return simulatedProvider;
  const worker = workerOf(plan, stage);
  return worker && describeModel(worker.definition.name, worker.model);
}

/**
 * Remark about the budget that a run has without anybody having named one; undefined for other events
 * and budgets (SEMANTICS 126).
 */
export function defaultBudgetRemark(
  event: RunEvent,
  { program, plan }: { readonly program: Program; readonly plan: BackendPlan },
  { budgetUsd }: { readonly budgetUsd?: BudgetLimit },
): string | undefined {
  if (!('budget_usd' in event)) return undefined;
  const isNamed = budgetUsd !== undefined || program.limits.budgetUsd !== undefined;
  const { budget_usd: limit } = event;
  if (isNamed || plan === recordedPlan || typeof limit !== 'number') return undefined;
  return `budget: ${describeUsd(limit)} by default; --budget-usd changes it`;
}

/** `ai` is how, not who. */
function describeModel(backend: string, { provider, model }: ModelChoice): string {
  if (backend === simulateBackend.name) return simulatedProvider;
  const who = [provider, model].filter((name) => name !== undefined).join('/');
  return backend === 'ai' && who !== '' ? who : `${who === '' ? 'its own model' : who} (${backend})`;
}
