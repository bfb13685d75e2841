import { graphTemplate } from '../../../graph/templates.js';
import { workerOf } from '../../worker-of.js';
import { foundTogether, type PreflightCheck } from '../preflight-check.js';

/** SEMANTICS 130: some coding agents have no switch for a system prompt. */
export const systemPrompt: PreflightCheck = {
  id: 'system_prompt',
  summary: 'A coding agent takes no system prompt, so `system_prompt` begins its first prompt.',
  isAboutRealWork: true,
  isAboutMachine: false,
  *find({ plan }) {
    if (plan.kind === 'none' || plan.kind === 'plugin') return;
    const without = plan.stages.flatMap((stage): readonly [string, string][] => {
      if (graphTemplate(stage.graph, 'system_prompt').text.trim() === '') return [];
      const worker = workerOf(plan, stage);
      const why = worker?.definition.lacksSystemPrompt?.(worker.model, plan.environment);
      if (why === undefined) return [];
      return [[`${why}, so \`system_prompt\` begins the first prompt of its session`, stage.id]];
    });
    yield* foundTogether(without, { severity: 'info' });
  },
};
