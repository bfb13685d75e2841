import type { Program } from '../../graph/program.js';
import type { Monitor } from '../../graph/properties/monitor.js';
import type { Observation } from '../../graph/properties/observation.js';
import type { Draft } from '../draft.js';
import type { RunEvent } from '../event.js';

/** Folds an event into the monitors of the properties (SEMANTICS 144). */
export function observe({ monitors }: Program, draft: Draft, event: RunEvent): void {
  if (monitors.length === 0) return;
  if (event.type === 'PipelineStarted') draft.monitors = monitors.map(({ initial }) => initial);
  const seen = observationOf(event);
  if (seen === undefined) return;
  const next = monitors.map((monitor, index) => stateAfter(monitor, draft.monitors[index], seen));
  if (next.some((state, index) => state !== draft.monitors[index])) draft.monitors = next;
}

/** @param state of the monitor before; undefined before the run */
export function stateAfter(monitor: Monitor, state: number | undefined, seen: Observation): number {
  return monitor.step(state ?? monitor.initial, seen);
}

/** What properties see of an event. */
export function observationOf(event: RunEvent): Observation | undefined {
  switch (event.type) {
    case 'StageStarted':
      if (event.attempt > 1 || event.resumed) return undefined;
      return { kind: 'started', nodeId: event.node_id };
    case 'StageCompleted':
      return { kind: 'ended', nodeId: event.node_id, outcome: event.outcome };
    case 'StageSkipped':
      if (event.stopped) return undefined;
      return { kind: 'ended', nodeId: event.node_id, outcome: event.outcome };
    case 'StageFailed':
      if (event.will_retry) return undefined;
      return { kind: 'ended', nodeId: event.node_id, outcome: event.outcome };
    default:
      return undefined;
  }
}
