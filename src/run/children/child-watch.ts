import type { Program } from '../../graph/program.js';
import type { ChildTelemetry } from '../../handlers/child-runner.js';
import { JournalTail } from '../../journal/journal-tail.js';
import type { RunEvent } from '../../machine/event.js';
import { linkOf } from '../../run-directory/hashed-line.js';
import { activeVisits } from '../../view/active-stages.js';
import { apply } from '../../view/fold/apply.js';
import type { RunView } from '../../view/fold/run-view.js';
import type { VisitRecord } from '../../view/fold/visit-record.js';
import { placeOf } from '../../view/placed-stages.js';
import { stepsOf } from '../../view/run-status.js';

/** Stage that a run is at. */
interface ActiveStage {
  readonly nodeId: string;
  /** Path of its files, relative to the run directory. */
  readonly place: string;
}

/** Adds the events from before a run is watched. A resume will report what cannot be read. */
export function catchUp(view: RunView, journalFile: string, onEvent?: (event: RunEvent) => void): void {
  for (const event of readableEvents(journalFile)) {
    apply(view, event);
    onEvent?.(event);
  }
}

/** Events of a journal, up to the first one that cannot be read. */
export function* readableEvents(journalFile: string): Generator<RunEvent> {
  for (const line of new JournalTail(journalFile).read()) {
    let event: RunEvent;
    try {
      event = JSON.parse(linkOf(line).text) as RunEvent;
    } catch {
      return;
    }
    yield event;
  }
}

/** State of a run for its supervisor (§4.11). */
export function telemetryOf(view: RunView, directory: string): ChildTelemetry {
  return {
    runId: view.runId,
    directory,
    activeStages: workingVisits(view).map(({ nodeId }) => nodeId),
    lastStage: view.lastSettled,
    completed: stepsOf(view),
    retries: view.retries,
    failures: view.failedAttempts,
    artifacts: view.artifacts.size,
    lastEvent: view.lastDescription,
  };
}

export function workingStages(view: RunView, { nodes }: Program): readonly ActiveStage[] {
  return workingVisits(view).map(({ nodeId, branch }) => ({
    nodeId,
    place: placeOf(view, nodes, branch, nodeId),
  }));
}

/** Visits at work; a parallel node itself does nothing while its branches run. */
function workingVisits(view: RunView): readonly VisitRecord[] {
  return activeVisits(view).filter(({ status }) => status !== 'branches');
}
