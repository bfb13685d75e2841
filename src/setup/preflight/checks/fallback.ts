import { findProvider } from '../../../backends/ai/find-provider.js';
import { modelFallbacks, nameOfModel } from '../../../graph/model-choice.js';
import { workerOf } from '../../worker-of.js';
import { foundTogether, type PreflightCheck } from '../preflight-check.js';

/** SEMANTICS 130: the models of `llm_fallback` can be asked when they are needed; the run works without them. */
export const fallback: PreflightCheck = {
  id: 'fallback',
  summary: 'A model of `llm_fallback` cannot be used, so nothing takes the place of the first one.',
  isAboutRealWork: true,
  isAboutMachine: true,
  *find({ plan }) {
    if (plan.kind === 'none' || plan.kind === 'plugin') return;
    const { environment } = plan;
    const unusable = plan.stages.flatMap((stage): readonly (readonly [string, string])[] => {
      if (workerOf(plan, stage)?.definition.name !== 'ai') return [];
      return modelFallbacks(stage.graph, stage.node).flatMap((named) => {
        const reading = findProvider({ ...named, reasoningEffort: '' }, environment);
        if (reading.kind === 'found') return [];
        return [[`the fallback ${nameOfModel(named)} cannot be used: ${reading.problem}`, stage.id] as const];
      });
    });
    yield* foundTogether(unusable, {
      severity: 'warning',
      help: 'set the missing key, or correct `llm_fallback`',
    });
  },
};
