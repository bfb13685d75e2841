import { workerOf } from '../../worker-of.js';
import { foundTogether, type PreflightCheck } from '../preflight-check.js';

/** SEMANTICS 126: under a budget, the costs of a stage are known before its turn ends. */
export const lateUsage: PreflightCheck = {
  id: 'late_usage',
  summary:
    'A budget cannot stop a coding agent in the middle of its turn, because it reports its usage later.',
  isAboutRealWork: true,
  isAboutMachine: false,
  *find({ plan }) {
    if (plan.kind === 'none' || plan.kind === 'plugin') return;
    const late = plan.stages.flatMap((stage): readonly [string, string][] => {
      if (!stage.isBudgeted.usd && !stage.isBudgeted.tokens) return [];
      const worker = workerOf(plan, stage);
      const why = worker?.definition.lateUsage?.(worker.model, plan.environment);
      return why === undefined ? [] : [[`${why}: a budget cannot stop it before`, stage.id]];
    });
    yield* foundTogether(late, { severity: 'info' });
  },
};
