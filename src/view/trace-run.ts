import path from 'node:path';
import type { Graph } from '../graph/graph.js';
import { outgoingEdges } from '../graph/queries.js';
import { readEvent } from '../journal/follow-journal.js';
import { JournalTail } from '../journal/journal-tail.js';
import type { RunOverlay } from '../render/run-overlay.js';
import { runFiles } from '../run-directory/run-files.js';
import { formatDuration } from './format-duration.js';
import type { RunOverview } from './run-overview.js';
import { RunTrace, statusWord } from './run-trace.js';

/**
 * What happened in a run so far, to be drawn over its pipeline; a run may be under way meanwhile.
 * @param overview of the run, as far as which it is drawn
 * @throws RunError where the run cannot be read
 */
export function traceRun(directory: string, graph: Graph, overview: RunOverview): RunOverlay {
  const trace = new RunTrace((nodeId, branch) => outgoingEdges(graph, nodeId)[branch]?.index);
  for (const line of new JournalTail(path.join(directory, runFiles.journal)).read()) {
    const event = readEvent(line);
    // What was appended since the overview may be newer than what that says.
    if (event !== undefined && event.seq <= overview.seq) trace.add(event);
  }
  return { caption: captionOf(overview), ...trace.overlay(overview.status, overview.child_runs) };
}

function captionOf({ run_id, status, stages_done, duration_ms, failure_reason }: RunOverview): string {
  const stages = `${stages_done} ${stages_done === 1 ? 'stage' : 'stages'}`;
  const facts = [`run ${run_id}`, statusWord(status), stages, formatDuration(duration_ms)];
  return `${facts.join(' · ')}${failure_reason === null ? '' : `: ${failure_reason}`}`;
}
