import { findProvider } from '../../../backends/ai/find-provider.js';
import { priceOf } from '../../../backends/prices.js';
import { modelFallbacks } from '../../../graph/model-choice.js';
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
    const unpriced = plan.stages.flatMap((stage) =>
      stage.isBudgeted.usd
        ? unpricedNames(plan, stage).map(
            (name) => [`no price is known for ${name}: \`budget_usd\` does not limit it`, stage.id] as const,
          )
        : [],
    );
    yield* foundTogether(unpriced, {
      severity: 'warning',
      help: 'add it to `prices` in the configuration (0 for one that costs nothing), or limit tokens (`budget_tokens`)',
    });
  },
};

/** Names of the models that are called directly, the first and its fallbacks, and have no price; an agent reports its costs itself. */
function unpricedNames(plan: OwnPlan, stage: ModelStage): readonly string[] {
  const worker = workerOf(plan, stage);
  if (worker?.definition.name !== 'ai') return [];
  const { environment } = plan;
  const fallbacks = modelFallbacks(stage.graph, stage.node).map((named) => ({
    ...named,
    reasoningEffort: '',
  }));
  return [worker.model, ...fallbacks].flatMap((model) => {
    const reading = findProvider(model, environment);
    if (reading.kind !== 'found') return [];
    const { address } = reading;
    const isKnown = priceOf(address, environment.settings.prices) !== undefined;
    return isKnown ? [] : [`${address.provider}/${address.model}`];
  });
}
