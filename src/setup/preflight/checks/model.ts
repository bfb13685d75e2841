import { withDefaultModel } from '../../../backends/choose-backend.js';
import { simulatedProvider } from '../../../handlers/simulated-provider.js';
import type { OwnPlan } from '../../backend-plan.js';
import type { ModelStage } from '../../model-stages.js';
import { foundTogether, type PreflightCheck } from '../preflight-check.js';

/** SEMANTICS 120: each LLM stage has a provider or agent that can do it: known, with its key, or installed. */
export const model: PreflightCheck = {
  id: 'model',
  summary: 'An LLM stage has no usable model: no key, an unknown provider, an agent that is not installed.',
  isAboutRealWork: true,
  isAboutMachine: true,
  *find({ plan }) {
    if (plan.kind === 'none' || plan.kind === 'plugin') return;
    const problems = plan.stages.flatMap((stage): readonly [string, string][] => {
      const problem = problemWith(stage, plan);
      return problem === undefined ? [] : [[problem, stage.id]];
    });
    yield* foundTogether(problems, { severity: 'error', help });
  },
};

const help =
  'set the missing key, name another model (`llm_provider` and `llm_model`, or --provider and --model), or simulate (--simulate, or `llm_provider=simulated` on some stages)';

function problemWith({ id, asked }: ModelStage, plan: OwnPlan): string | undefined {
  if (asked.provider === simulatedProvider) return undefined;
  if (plan.kind === 'one') {
    const { definition, environment } = plan;
    return definition.problemWith(withDefaultModel(asked, environment.settings), environment);
  }
  const choice = plan.choices.get(id);
  return choice?.kind === 'none' ? choice.problem : undefined;
}
