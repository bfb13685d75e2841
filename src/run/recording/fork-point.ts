import type { Program } from '../../graph/program.js';
import type { RunEvent } from '../../machine/event.js';
import { RunError } from '../../run-directory/run-error.js';

/** Point at which the histories of two runs part. */
export type ForkPoint =
  /** Before the last visit of a node. */
  | { readonly kind: 'at'; readonly nodeId: string }
  /** After so many stages had ended, start and exit not counted. */
  | { readonly kind: 'step'; readonly step: number }
  /** At the end of the run so far. */
  | { readonly kind: 'end' };

/** Point that a call names. @throws RunError `usage` if it names two */
export function forkPointOf({
  at: nodeId,
  step,
}: {
  readonly at?: string | undefined;
  readonly step?: number | undefined;
}): ForkPoint {
  if (nodeId !== undefined && step !== undefined)
    throw new RunError('usage', 'a run can be forked at a node or at a step, not at both');
  if (nodeId !== undefined) return { kind: 'at', nodeId };
  return step === undefined ? { kind: 'end' } : { kind: 'step', step };
}

/**
 * Number of events of a run that another one shares with it. Unfinished work at that point, such as a
 * branch that continued at the same time, counts as cut off by a crash.
 * @throws RunError `usage` if the run never got there
 */
export function forkPoint(program: Program, events: readonly RunEvent[], point: ForkPoint): number {
  switch (point.kind) {
    case 'at':
      return beforeNode(program, events, point.nodeId);
    case 'step':
      return afterStep(program, events, point.step);
    case 'end':
      return wholeRun(events);
  }
}

function beforeNode(program: Program, events: readonly RunEvent[], nodeId: string): number {
  const index = events.findLastIndex(
    (event) =>
      event.type === 'StageStarted' && event.node_id === nodeId && event.attempt === 1 && !event.resumed,
  );
  if (index > 0) return index;
  if (!program.nodes.has(nodeId))
    throw refusal(`"${nodeId}" is not a node of its pipeline (${[...program.nodes.keys()].join(', ')})`);
  throw refusal(`the run never reached "${nodeId}"`);
}

function afterStep(program: Program, events: readonly RunEvent[], step: number): number {
  const ended = events.flatMap((event, index) => (isEndOfStep(program, event) ? [index + 1] : []));
  const end = step === 0 ? events.findIndex(({ type }) => type === 'PipelineStarted') + 1 : ended[step - 1];
  if (end !== undefined && end > 0) return end;
  throw refusal(`only ${ended.length} of its stages have ended, not ${step}`);
}

function isEndOfStep({ startId, exitId }: Program, event: RunEvent): boolean {
  switch (event.type) {
    case 'StageCompleted':
    case 'StageSkipped':
    case 'StageFailed':
      if (event.node_id === startId || event.node_id === exitId) return false;
      return !('will_retry' in event && event.will_retry) && !('stopped' in event && event.stopped);
    default:
      return false;
  }
}

function wholeRun(events: readonly RunEvent[]): number {
  if (events.length === 0) throw refusal('it died before doing anything');
  if (events.at(-1)?.type === 'PipelineCompleted' || events.some(({ type }) => type === 'PipelineCompleted'))
    throw refusal('it has succeeded, so nothing is left to do: name a node or a step to fork at');
  return events.length;
}

function refusal(reason: string): RunError {
  return new RunError('usage', `the run cannot be forked there: ${reason}`);
}

/**
 * Shared events as those of the other run. A conversation with a model is not shared: it may have continued
 * since, and the other run must not know of it.
 */
export function forkedEvents(events: readonly RunEvent[], runId: string): readonly RunEvent[] {
  return events.map((event): RunEvent => {
    if (event.type === 'PipelineStarted') return { ...event, run_id: runId, id: runId };
    if (event.type !== 'SessionStarted') return { ...event, run_id: runId };
    const { seq, timestamp, node_id } = event;
    const message = `the conversation of the thread "${event.thread_id}" belongs to the run that this one was forked from; it starts over`;
    return {
      seq,
      timestamp,
      run_id: runId,
      type: 'LogAppended',
      level: 'info',
      message,
      node_id,
      description: message,
    };
  });
}
