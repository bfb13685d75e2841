import { isInteractive } from '../../../backends/ask-person.js';
import { workerOf } from '../../worker-of.js';
import { foundTogether, type PreflightCheck } from '../preflight-check.js';

/** SEMANTICS 129: the model of an interactive stage gets the tool with which it asks. */
export const interactive: PreflightCheck = {
  id: 'interactive',
  summary: 'The backend of a stage with `interactive=true` cannot offer its model the tool `ask_person`.',
  isAboutRealWork: true,
  isAboutMachine: false,
  *find({ plan }) {
    if (plan.kind === 'none' || plan.kind === 'plugin') return;
    const silent = plan.stages.flatMap((stage): readonly [string, string][] => {
      const worker = isInteractive(stage.node) ? workerOf(plan, stage) : undefined;
      if (worker === undefined) return [];
      const why = worker.definition.cannotAsk?.(worker.model, plan.environment);
      return why === undefined ? [] : [[`${why}, so \`interactive=true\` has no effect`, stage.id]];
    });
    yield* foundTogether(silent, {
      severity: 'warning',
      help: 'remove `interactive`, or choose a model or another agent',
    });
  },
};
