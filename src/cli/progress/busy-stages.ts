import { nameInParent } from '../../run/questions/child-interviewer.js';
import type { ActiveStage } from '../../view/active-stage.js';
import type { RunOverview } from '../../view/run-overview.js';

/**
 * The stages of a run, and of its child runs, that finish before the run pauses. A stage that waits for a person, for its next
 * attempt or for branches is not busy; a stage with a child run is busy while that is.
 */
export function busyStages({
  stages,
  child_runs: children,
}: Pick<RunOverview, 'stages' | 'child_runs'>): readonly ActiveStage[] {
  return stages
    .filter(({ state }) => state === 'running')
    .flatMap((stage) => {
      const own = children.filter((child) => child.node_id === stage.node_id && child.stages.length > 0);
      if (own.length === 0) return [stage];
      return own
        .flatMap(busyStages)
        .map((inner) => ({ ...inner, node_id: nameInParent(stage.node_id, inner.node_id) }));
    });
}
