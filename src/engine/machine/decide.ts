import type { Program } from '../../graph/program.js';
import { arrive, elapsed, leave } from './advance.js';
import { restartAttempt, scheduleRetry, settle, startAttempt } from './attempt.js';
import type { Effect } from './effect.js';
import type { RunEvent } from './event.js';
import type { Input } from './input.js';
import { answerGiven, interruptedAnswered, questionRaised, raiseInterruption } from './interviews.js';
import { nodeOf } from './stage.js';
import { type Cursor, mainCursor, type RunState } from './state.js';
import { Transition } from './transition.js';

export interface Decision {
  /** In order; to be made durable before any effect is performed. */
  readonly events: readonly RunEvent[];
  readonly effects: readonly Effect[];
  /** The fold of the events into the state that was given. */
  readonly state: RunState;
}

/**
 * The state machine of a run (§3.2): what follows from one input. Pure: the same program, state and input give the same
 * decision. An input that comes too late (for a run that is no longer running, or an attempt that was given up) changes
 * nothing.
 */
export function decide(program: Program, state: RunState, input: Input): Decision {
  const transition = new Transition(program, state, input);
  apply(transition, input);
  return { events: transition.events, effects: transition.effects, state: transition.state };
}

function apply(transition: Transition, input: Input): void {
  switch (input.kind) {
    case 'start':
      return start(transition, input);
    case 'resume':
      return resume(transition, input);
    case 'log':
      return transition.log(input.level, input.message, input.nodeId);
    case 'checkpoint_saved':
      return transition.emit({ type: 'CheckpointSaved', node_id: input.nodeId });
    case 'cancel':
      return cancel(transition);
  }
  if (transition.state.status !== 'running') return;
  switch (input.kind) {
    case 'stage_settled':
      return settle(transition, input.cursor, input.outcome);
    case 'timer_fired':
      return startAttempt(transition, input.cursor);
    case 'question_raised':
      return questionRaised(transition, input.cursor, input.question);
    case 'answered':
      return answered(transition, input);
    case 'unanswered':
      return pause(transition, 'a question waits for an answer', transition.cursor(input.cursor).nodeId);
    case 'pause':
      return pause(transition, input.reason);
  }
}

function start(transition: Transition, input: Extract<Input, { kind: 'start' }>): void {
  const { graph } = transition.program;
  transition.emit(
    {
      type: 'PipelineStarted',
      name: graph.name,
      id: input.runId,
      goal: String(graph.attributes.get('goal')?.value ?? ''),
      graph_hash: input.graphHash,
      inputs: input.inputs,
      ...(input.maxSteps !== undefined && { max_steps: input.maxSteps }),
    },
    input.runId,
  );
  arrive(transition, mainCursor);
}

/** Goes on from wherever the journal ends, be it in the middle of a decision (SEMANTICS 66). */
function resume(transition: Transition, input: Extract<Input, { kind: 'resume' }>): void {
  const { status } = transition.state;
  if (status === 'created' || (status === 'success' && input.nodeId === undefined)) return;
  transition.emit({
    type: 'PipelineResumed',
    from: status,
    ...(input.maxSteps !== undefined && { max_steps: input.maxSteps }),
    ...(input.nodeId !== undefined && { node_id: input.nodeId }),
    ...(input.inputs !== undefined && { inputs: input.inputs }),
  });
  for (const cursor of transition.state.cursors.values()) resumeCursor(transition, cursor);
}

function resumeCursor(transition: Transition, cursor: Cursor): void {
  switch (cursor.phase) {
    case 'arriving':
      return arrive(transition, cursor.id);
    case 'settled':
      return leave(transition, cursor.id);
    case 'waiting':
      if (cursor.waitUntil === 0) return scheduleRetry(transition, cursor.id);
      return transition.perform({ kind: 'wait', cursor: cursor.id, until: cursor.waitUntil });
    case 'running':
    case 'interrupted':
      if (nodeOf(transition, cursor).idempotent) return restartAttempt(transition, cursor);
      return raiseInterruption(transition, cursor);
    case 'finished':
      return;
  }
}

function answered(transition: Transition, input: Extract<Input, { kind: 'answered' }>): void {
  const cursor = transition.cursor(input.cursor);
  const given = answerGiven(transition, input);
  if (given === undefined || cursor.phase !== 'interrupted') return;
  const choice = interruptedAnswered(given);
  if (choice === undefined) restartAttempt(transition, cursor);
  else settle(transition, cursor.id, choice);
}

function pause(transition: Transition, reason: string, nodeId?: string): void {
  transition.emit({ type: 'PipelinePaused', reason, ...(nodeId !== undefined && { node_id: nodeId }) });
  abortAll(transition, reason);
}

function cancel(transition: Transition): void {
  if (transition.state.status !== 'running' && transition.state.status !== 'paused') return;
  transition.emit({ type: 'PipelineCancelled', duration: elapsed(transition) });
  abortAll(transition, 'the run was cancelled');
}

function abortAll(transition: Transition, reason: string): void {
  for (const { id, phase } of transition.state.cursors.values()) {
    if (phase !== 'finished') transition.perform({ kind: 'abort', cursor: id, reason });
  }
}
