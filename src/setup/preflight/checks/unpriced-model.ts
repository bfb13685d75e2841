import { findProvider } from '../../../backends/ai/find-provider.js';
import { priceOf } from '../../../backends/prices.js';
import type { OwnPlan } from '../../backend-plan.js';
import type { ModelStage } from '../../model-stages.js';
import { workerOf } from '../../worker-of.js';
import { foundTogether, type PreflightCheck } from '../preflight-check.js';

/** SEMANTICS 126: under a budget in US dollars, the models that are called have a known price. */
export const unpricedModel: PreflightCheck = {
  id: 'unpriced_model',
  summary: 'The price of a model is not known, so a budget in US dollars does not limit it.',
  isAboutRealWork: true,
  isAboutMachine: false,
  *find({ plan }) {
    if (plan.kind === 'none' || plan.kind === 'plugin') return;
    const unpriced = plan.stages.flatMap((stage): readonly [string, string][] => {
      const name = stage.isBudgeted.usd ? unpricedName(plan, stage) : undefined;
      return name === undefined
        ? []
        : [[`no price is known for ${name}: \`budget_usd\` does not limit it`, stage.id]];
    });
    yield* foundTogether(unpriced, {
      severity: 'warning',
      help: 'add it to `prices` in the configuration (0 for one that costs nothing), or limit tokens (`budget_tokens`)',
    });
  },
};

/** Name of a model that is called directly and has no price; an agent reports its costs itself. */
function unpricedName(plan: OwnPlan, stage: ModelStage): string | undefined {
  const worker = workerOf(plan, stage);
  if (worker?.definition.name !== 'ai') return undefined;
  const reading = findProvider(worker.model, plan.environment);
  if (reading.kind !== 'found') return undefined;
  const { provider, model } = reading.address;
  const isKnown = priceOf({ provider, model }, plan.environment.settings.prices) !== undefined;
  return isKnown ? undefined : `${provider}/${model}`;
}
