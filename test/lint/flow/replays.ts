import type { Compilation } from '../../../src/compiler/compile.js';
import type { Diagnostic } from '../../../src/diagnostic/diagnostic.js';
import type { RunEvent } from '../../../src/machine/event.js';
import { simulate } from '../../../src/run/simulate/simulate.js';
import { readScript } from '../../../src/run-directory/simulation-script.js';

type Shows = (events: readonly RunEvent[], finding: Diagnostic) => boolean;

function failsBy(events: readonly RunEvent[], kind: string, nodeId: string | undefined): boolean {
  return events.some(
    (event) =>
      event.type === 'PipelineFailed' &&
      event.kind === kind &&
      (nodeId === undefined || event.node_id === nodeId),
  );
}

function starts(events: readonly RunEvent[], nodeId: string | undefined): boolean {
  return events.some((event) => event.type === 'StageStarted' && event.node_id === nodeId);
}

/** A branch without a route fails alone, and the run continues. */
const stuck: Shows = (events, { nodeId }) =>
  failsBy(events, 'routing', nodeId) ||
  events.some(
    (event) =>
      event.type === 'ParallelBranchCompleted' &&
      event.error?.startsWith(`no eligible edge leaves "${nodeId}"`) === true,
  );

/** What a run has to show for a finding of a rule. */
const shows: Readonly<Record<string, Shows>> = {
  condition_exhaustive: stuck,
  no_default_edge: stuck,
  condition_overlap: (events, { edge: [from] = [''], message }) => {
    const taken = /from "\w+" to "(\w+)"/.exec(message)?.[1];
    return events.some(
      (event) =>
        event.type === 'EdgeSelected' &&
        event.from === from &&
        event.to === taken &&
        event.reason === 'condition',
    );
  },
  goal_gate_bypass: (events, { nodeId }) =>
    events.some(({ type }) => type === 'PipelineCompleted') && !starts(events, nodeId),
  unbounded_loop: (events) => failsBy(events, 'limit', undefined),
  failure_stops_run: (events, { nodeId }) => failsBy(events, 'stage', undefined) && starts(events, nodeId),
  branch_failure_ignored: (events, { edge, message }) => {
    const next = /continues with "(\w+)"/.exec(message)?.[1];
    const cause = events.findIndex((event) =>
      edge === undefined
        ? event.type === 'ParallelBranchCompleted' && event.status === 'fail'
        : event.type === 'EdgeSelected' &&
          event.branch !== undefined &&
          event.from === edge[0] &&
          event.to === edge[1],
    );
    return cause >= 0 && starts(events.slice(cause), next);
  },
  read_before_write: (events, { edge, nodeId = edge?.[0] }) => starts(events, nodeId),
};

/** Plays the witness of a finding in the simulator; true if it shows what the finding says. */
export async function isShown(compilation: Compilation, finding: Diagnostic): Promise<boolean> {
  const events: RunEvent[] = [];
  const script = readScript(finding.witness, 'of the witness');
  await simulate(compilation, { script, start: 0, seed: 1, onEvent: (event) => events.push(event) });
  const show = shows[finding.rule];
  if (show === undefined) throw new Error(`nobody says what a witness of ${finding.rule} shows`);
  return show(events, finding);
}
