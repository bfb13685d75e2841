import type { Program } from '../graph/program.js';
import { arrive, leave, restartLoop } from './advance.js';
import { type Draft, freeze, thaw } from './draft.js';
import type { Effect } from './effect.js';
import { abortAll, runDuration } from './end.js';
import type { RunEvent } from './event.js';
import type { AttemptInput, Input } from './input.js';
import { handleAnswer, questionRaised, suspend } from './interviews.js';
import { advanceFork, fanOut, settleFork, timeOutFork } from './parallel.js';
import { pause, pauseAtTimeLimit, pauseIfStuck } from './pause.js';
import { handleResume, resumeCursor, wake, watchRunTime } from './resume.js';
import { settle, startAttempt } from './stage.js';
import { stageProgressed, usedLate } from './stage-progressed.js';
import { type Cursor, mainCursor, type RunState } from './state.js';
import { steer } from './steering.js';
import { type EventListener, type Step, Transition } from './transition.js';
import { startingBudgets } from './watch-budgets.js';

export interface Decision {
  /** Events in order, which must be durable before any effect is performed. */
  readonly events: readonly RunEvent[];
  readonly effects: readonly Effect[];
  /** The given state after the events. */
  readonly state: RunState;
}

/**
 * State machine of a run (§3.2): the consequences of one input. Pure: the same program, state and input
 * give the same decision. An input that comes too late (for a run that is no longer running, or an attempt
 * that was given up) changes nothing, but for what models have used, which counts.
 */
export function decide(program: Program, state: RunState, input: Input): Decision {
  const draft = thaw(state);
  const { events, effects } = decideDraft(program, draft, input);
  return { events, effects, state: events.length === 0 ? state : freeze(draft) };
}

/** Like `decide`, but changes a draft in place; `onEvent` must not change it. */
export function decideDraft(
  program: Program,
  draft: Draft,
  input: Input,
  onEvent?: EventListener,
): Omit<Decision, 'state'> {
  const transition = new Transition(program, draft, input, onEvent);
  accept(transition, input);
  for (let step = transition.takeStep(); step !== undefined; step = transition.takeStep()) {
    perform(transition, step);
  }
  pauseIfStuck(transition);
  return transition;
}

function accept(transition: Transition, input: Input): void {
  switch (input.kind) {
    case 'start':
      return start(transition, input);
    case 'resume':
      return handleResume(transition, input);
    case 'wake':
      return wake(transition);
    case 'log':
      return transition.log(input.level, input.message, input.nodeId, input.aboutFiles);
    case 'checkpoint_saved':
      return transition.emit({ type: 'CheckpointSaved', node_id: input.nodeId });
    case 'cancel':
      return cancel(transition);
  }
  if (transition.state.status !== 'running') {
    // The reports of a stage on another machine all come again, in their order, when the run is resumed.
    const comesAgain = transition.state.status === 'paused' && input.report !== undefined;
    if (input.kind === 'stage_progress' && !comesAgain) usedLate(transition, input);
    return;
  }
  switch (input.kind) {
    case 'pause':
      return pause(transition, input);
    case 'run_timer_fired':
      return pauseAtTimeLimit(transition);
  }
  const cursor = transition.state.cursors.get(input.cursor);
  if (input.kind === 'stage_progress' && !isAtWork(cursor, input)) return usedLate(transition, input);
  if (cursor === undefined) return;
  switch (input.kind) {
    case 'answered':
      return handleAnswer(transition, input);
    case 'unanswered':
      if (cursor.question?.question.id !== input.questionId) return;
      return suspend(transition, cursor, 'a question waits for an answer');
  }
  if (isUnderWay(cursor, input)) acceptOfAttempt(transition, input);
}

function isUnderWay(cursor: Cursor | undefined, { index, attempt }: AttemptInput): boolean {
  return cursor?.index === index && cursor.attempt === attempt;
}

/** True if the attempt is neither given up nor suspended. */
function isAtWork(cursor: Cursor | undefined, input: AttemptInput): boolean {
  return isUnderWay(cursor, input) && cursor?.phase !== 'suspended';
}

type OfAttempt = Extract<Input, AttemptInput>;

function acceptOfAttempt(transition: Transition, input: OfAttempt): void {
  const cursor = transition.cursor(input.cursor);
  switch (input.kind) {
    case 'stage_settled':
      if (cursor.phase === 'running') settle(transition, cursor.id, input);
      return;
    case 'question_raised':
      if (cursor.phase === 'running') questionRaised(transition, cursor.id, input.question);
      return;
    case 'fan_out':
      if (cursor.phase === 'running') fanOut(transition, cursor.id, input);
      return;
    case 'stage_suspended':
      if (cursor.phase === 'running') suspend(transition, cursor, input.reason);
      return;
    case 'steered':
      if (cursor.phase === 'running') steer(transition, input);
      return;
    case 'stage_progress':
      if (cursor.phase === 'running') stageProgressed(transition, cursor, input.progress);
      return;
    case 'timer_fired':
      if (cursor.phase === 'forked') timeOutFork(transition, cursor.id);
      else if (cursor.phase === 'waiting' && transition.state.pausing === undefined)
        startAttempt(transition, cursor.id);
      return;
  }
}

function perform(transition: Transition, { kind, cursor }: Step): void {
  switch (kind) {
    case 'arrive':
      return arrive(transition, cursor);
    case 'leave':
      return leave(transition, cursor);
    case 'restart_loop':
      return restartLoop(transition, cursor);
    case 'advance_fork':
      return advanceFork(transition, cursor);
    case 'settle_fork':
      return settleFork(transition, cursor);
    case 'resume':
      return resumeCursor(transition, cursor);
  }
}

function start(transition: Transition, input: Extract<Input, { kind: 'start' }>): void {
  const { graph, limits, exitId } = transition.program;
  transition.emit(
    {
      type: 'PipelineStarted',
      name: graph.name,
      id: input.runId,
      goal: String(graph.attributes.get('goal')?.value ?? ''),
      graph_hash: input.graphHash,
      exit: exitId,
      inputs: input.inputs,
      max_steps: input.maxSteps,
      commit: input.commit,
      ...startingBudgets(input, limits),
    },
    input.runId,
  );
  watchRunTime(transition);
  transition.next('arrive', mainCursor);
}

function cancel(transition: Transition): void {
  if (transition.state.status !== 'running' && transition.state.status !== 'paused') return;
  transition.emit({ type: 'PipelineCancelled', duration: runDuration(transition) });
  abortAll(transition, 'cancelled', 'the run was cancelled');
}
