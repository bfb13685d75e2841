import type { Manifest } from '../../run-directory/manifest.js';
import { activeVisits, waitsForPeople } from '../../view/active-stages.js';
import type { RunView } from '../../view/fold/run-view.js';
import { stepsOf } from '../../view/run-status.js';
import type { RunListEntry, RunStatusName } from '../api/run.js';
import { usageFields } from './run-index.js';

/** Run whose events are folded, for a list. */
export interface ViewedRun {
  readonly id: string;
  readonly manifest: Pick<Manifest, 'name' | 'goal' | 'start_time'> & {
    readonly options: Pick<Manifest['options'], 'simulate'>;
  };
  readonly view: RunView;
  readonly status: RunStatusName;
  readonly worker: string | null;
  /** Thing that it waits for in the queue of a cluster. */
  readonly waitsFor: string | null;
  /** Open questions, those of child runs included. */
  readonly questions: number;
}

/** A run in a list, from its view. */
export function entryOfView({
  id,
  manifest,
  view,
  status,
  worker,
  waitsFor,
  questions,
}: ViewedRun): RunListEntry {
  const isOver = view.endedAt !== undefined && status !== 'running';
  const begunAt = view.startedAt ?? manifest.start_time;
  return {
    id,
    name: manifest.name,
    goal: manifest.goal,
    status,
    simulated: manifest.options.simulate,
    start_time: manifest.start_time,
    duration_ms: isOver ? Date.parse(view.endedAt ?? begunAt) - Date.parse(begunAt) : null,
    current_node: activeVisits(view).at(-1)?.nodeId ?? view.lastSettled ?? null,
    worker,
    waits_for: waitsFor,
    steps: stepsOf(view),
    ...usageFields(view.usage.total),
    open_questions: questions,
    only_asks: waitsForPeople(view),
    failure_reason: view.failure?.reason ?? null,
  };
}
