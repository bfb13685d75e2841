import {
  type ActiveParallel,
  type ActiveStage,
  attemptKey,
  type BranchOverview,
  noStageWorkers,
  type OpenQuestion,
  type StageWorkers,
} from './active-stage.js';
import type { RunView } from './fold/run-view.js';
import { isUnderWay, type VisitRecord } from './fold/visit-record.js';
import { stageActivity } from './stage-activity.js';

/** Visits that have begun and not settled, the latest last. */
export function activeVisits({ current }: RunView): readonly VisitRecord[] {
  return [...current.values()].filter(({ status }) => isUnderWay(status));
}

/** Stages that have begun and not settled. */
export function activeStages(view: RunView, workers: StageWorkers = noStageWorkers): readonly ActiveStage[] {
  const stages: ActiveStage[] = [];
  for (const visit of view.current.values()) {
    const { nodeId: node_id, name, branch = null, status: state, attempt, entered, since, until } = visit;
    const doing = stageActivity(visit)?.text ?? null;
    const worker = workers.get(attemptKey(visit.index, attempt)) ?? null;
    if (isUnderWay(state))
      stages.push({ node_id, name, branch, state, attempt, visit: entered, since, until, doing, worker });
  }
  return stages;
}

/** Questions that wait for an answer. */
export function openQuestions({ questions }: RunView): readonly OpenQuestion[] {
  return [...questions.values()];
}

/** Branches of a parallel node that are listed. */
const branchesListed = 200;

/** Parallel nodes whose branches run. */
export function activeParallels({ parallels }: RunView): readonly ActiveParallel[] {
  return [...parallels.values()].map(({ branches, ...parallel }) => {
    const counts: Partial<Record<BranchOverview['state'], number>> = {};
    for (const { state } of branches.values()) counts[state] = (counts[state] ?? 0) + 1;
    return { ...parallel, counts, branches: listedBranches([...branches.values()]) };
  });
}

/** Branches to list, in the order in which they began. */
function listedBranches(branches: readonly BranchOverview[]): readonly BranchOverview[] {
  if (branches.length <= branchesListed) return branches;
  const rank = ({ state }: BranchOverview): number => (state === 'running' ? 0 : state === 'fail' ? 1 : 2);
  const latestFirst = branches.toReversed().sort((one, other) => rank(one) - rank(other));
  const listed = new Set(latestFirst.slice(0, branchesListed));
  return branches.filter((branch) => listed.has(branch));
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
