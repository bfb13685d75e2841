import type { Graph } from '../graph/graph.js';
import type { RunOverlay } from '../render/run-overlay.js';
import type { RunView } from './fold/run-view.js';
import { formatDuration } from './format-duration.js';
import { edgeOfBranchIn, overlayOf, statusWord } from './overlay-of.js';
import { lookAtRun, type RunOverview } from './run-overview.js';

/**
 * Overlay with the progress of a run, to be drawn over its pipeline; the run may be under way.
 * @param now milliseconds since 1970
 * @throws RunError where the run cannot be read
 */
export function traceRun(directory: string, graph: Graph, now: number): RunOverlay {
  const { view, overview } = lookAtRun(directory, now);
  return traceOf(view, graph, overview);
}

/**
 * Overlay of a run that was read already.
 * @param overview made of the same view
 */
export function traceOf(view: RunView, graph: Graph, overview: RunOverview): RunOverlay {
  return {
    caption: captionOf(overview),
    ...overlayOf(view, edgeOfBranchIn(graph), overview.status, overview.child_runs),
  };
}

function captionOf({ run_id, status, stages_done, duration_ms, failure_reason }: RunOverview): string {
  const stages = `${stages_done} ${stages_done === 1 ? 'stage' : 'stages'}`;
  const facts = [`run ${run_id}`, statusWord(status), stages, formatDuration(duration_ms)];
  return `${facts.join(' · ')}${failure_reason === null ? '' : `: ${failure_reason}`}`;
}
