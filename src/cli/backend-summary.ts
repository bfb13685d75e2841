import { withDefaultModel } from '../backends/choose-backend.js';
import { simulateBackend } from '../backends/simulate-backend.js';
import { listFirst } from '../diagnostic/list-first.js';
import type { ModelChoice } from '../graph/model-choice.js';
import { simulatedProvider } from '../handlers/simulated-provider.js';
import type { BackendPlan } from '../setup/backend-plan.js';
import type { ModelStage } from '../setup/model-stages.js';

/**
 * Models and agents with their stages, for people, before anything costs money; undefined if only a plugin
 * does the work, or none is needed.
 */
export function backendSummary(plan: BackendPlan): string | undefined {
  if (plan.kind === 'none' || plan.kind === 'plugin') return undefined;
  const stages = new Map<string, string[]>();
  for (const stage of plan.stages) {
    const who = workerOf(plan, stage);
    if (who !== undefined) stages.set(who, [...(stages.get(who) ?? []), stage.id]);
  }
  if (stages.size === 0) return undefined;
  return [...stages].map(([who, ids]) => `${who} for ${listFirst(ids)}`).join('; ');
}

/**
 * Notes about stages that a budget cannot stop before their turn ends, with the reason: to be known before
 * it is spent.
 */
export function budgetNotes(plan: BackendPlan): readonly string[] {
  if (plan.kind === 'none' || plan.kind === 'plugin') return [];
  const stages = new Map<string, string[]>();
  for (const stage of plan.stages) {
    const why = stage.isBudgeted ? lateUsageOf(plan, stage) : undefined;
    if (why !== undefined) stages.set(why, [...(stages.get(why) ?? []), stage.id]);
  }
  return [...stages].map(([why, ids]) => `${why}: a budget cannot stop it before (${listFirst(ids)})`);
}

function lateUsageOf(plan: OwnPlan, { id, asked }: ModelStage): string | undefined {
  if (asked.provider === simulatedProvider) return undefined;
  const { environment } = plan;
  if (plan.kind === 'one')
    return plan.definition.lateUsage?.(withDefaultModel(asked, environment.settings), environment);
  const choice = plan.choices.get(id);
  return choice?.kind === 'backend' ? choice.definition.lateUsage?.(choice.model, environment) : undefined;
}

type OwnPlan = Extract<BackendPlan, { readonly kind: 'one' | 'auto' }>;

function workerOf(plan: OwnPlan, { id, asked }: ModelStage): string | undefined {
  if (asked.provider === simulatedProvider) return simulatedProvider;
  if (plan.kind === 'one') {
    return describeModel(plan.definition.name, withDefaultModel(asked, plan.environment.settings));
  }
  const choice = plan.choices.get(id);
  return choice?.kind === 'backend' ? describeModel(choice.definition.name, choice.model) : undefined;
}

/** `ai` is how, not who. */
function describeModel(backend: string, { provider, model }: ModelChoice): string {
  if (backend === simulateBackend.name) return simulatedProvider;
  const who = [provider, model].filter((name) => name !== undefined).join('/');
  return backend === 'ai' && who !== '' ? who : `${who === '' ? 'its own model' : who} (${backend})`;
}
