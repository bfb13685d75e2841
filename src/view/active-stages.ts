import type { ActiveParallel, ActiveStage, OpenQuestion } from './active-stage.js';
import type { RunView } from './fold/run-view.js';
import { isUnderWay, type VisitRecord } from './fold/visit-record.js';

/** Visits that have begun and not settled, the latest last. */
export function activeVisits({ current }: RunView): readonly VisitRecord[] {
  return [...current.values()].filter(({ status }) => isUnderWay(status));
}

/** Stages that have begun and not settled. */
export function activeStages(view: RunView): readonly ActiveStage[] {
  const stages: ActiveStage[] = [];
  for (const visit of view.current.values()) {
    const { nodeId: node_id, name, branch = null, status: state, attempt, entered, since, until } = visit;
    if (isUnderWay(state))
      stages.push({ node_id, name, branch, state, attempt, visit: entered, since, until });
  }
  return stages;
}

/** Questions that wait for an answer. */
export function openQuestions({ questions }: RunView): readonly OpenQuestion[] {
  return [...questions.values()];
}

/** Parallel nodes whose branches run. */
export function activeParallels({ parallels }: RunView): readonly ActiveParallel[] {
  return [...parallels.values()].map((parallel) => ({
    ...parallel,
    branches: [...parallel.branches.values()],
  }));
}

/**
 * True while a run only waits for people (§6.4): every stage under way asks. A stage that has started a run
 * is itself under way, even if that run waits.
 */
export function waitsForPeople(view: RunView): boolean {
  if (view.questions.size === 0) return false;
  const visits = activeVisits(view);
  if (!visits.every(({ status }) => status === 'asking' || status === 'branches')) return false;
  // A branch between two of its stages is at none, and continues at once.
  const branches = new Set(visits.map(({ branch }) => branch));
  return [...view.parallels.values()].every((parallel) =>
    [...parallel.branches.values()].every(({ branch, state }) => state !== 'running' || branches.has(branch)),
  );
}
