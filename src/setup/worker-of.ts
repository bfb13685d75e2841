import type { BackendDefinition } from '../backends/backend.js';
import { withDefaultModel } from '../backends/choose-backend.js';
import type { ModelChoice } from '../graph/model-choice.js';
import { simulatedProvider } from '../handlers/simulated-provider.js';
import type { OwnPlan } from './backend-plan.js';
import type { ModelStage } from './model-stages.js';

/** Backend of a stage, with the model completed by the settings; undefined if it is simulated, or there is none. */
export function workerOf(
  plan: OwnPlan,
  { id, asked }: ModelStage,
): { readonly definition: BackendDefinition; readonly model: ModelChoice } | undefined {
  if (asked.provider === simulatedProvider) return undefined;
  const { environment } = plan;
  if (plan.kind === 'one')
    return { definition: plan.definition, model: withDefaultModel(asked, environment.settings) };
  const choice = plan.choices.get(id);
  return choice?.kind === 'backend' ? choice : undefined;
}
