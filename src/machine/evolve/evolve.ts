import type { Program } from '../../graph/program.js';
import { changeCursor, type Draft, freeze, thaw } from '../draft.js';
import type { RunEvent } from '../event.js';
import { persistentMap } from '../persistent.js';
import { observe } from '../properties/monitors.js';
import type { RunState } from '../state.js';
import {
  branchCompleted,
  branchStarted,
  parallelCompleted,
  parallelItems,
  parallelStarted,
} from './evolve-parallel.js';
import {
  budgetReported,
  modelUsed,
  sessionStarted,
  stageSteered,
  steeringDelivered,
} from './evolve-progress.js';
import { loopRestarted, runEnded, runFailed, runResumed, runStarted, runStopped } from './evolve-run.js';
import {
  attemptFailed,
  edgeSelected,
  noteFailure,
  questionAnswered,
  questionAsked,
  stageRetrying,
  stageSettled,
  stageStarted,
  stageStopped,
  stageSuspended,
} from './evolve-stage.js';

/**
 * Folds one event into the state: the only way in which a state changes. Folding a whole journal from `initialState`
 * gives the state of its run.
 */
export function evolve(program: Program, state: RunState, event: RunEvent): RunState {
  const draft = thaw(state);
  evolveDraft(program, draft, event, Date.parse(event.timestamp));
  return freeze(draft);
}

/**
 * Folds many events with few copies.
 * @param onFolded called with every event and the state right after it, which changes with the next one
 * @throws Error for an event that does not fit, after calling `onMisfit` with it
 */
export function evolveAll(
  program: Program,
  state: RunState,
  events: Iterable<RunEvent>,
  onMisfit: (event: RunEvent, error: unknown) => never,
  onFolded?: (event: RunEvent, state: RunState) => void,
): RunState {
  const draft = thaw(state);
  for (const event of events) {
    try {
      evolveDraft(program, draft, event, Date.parse(event.timestamp));
    } catch (error) {
      onMisfit(event, error);
    }
    onFolded?.(event, draft);
  }
  return freeze(draft);
}

/**
 * Like `evolve`, but changes a draft in place.
 * @param at the event's time in milliseconds since 1970
 */
export function evolveDraft(program: Program, draft: Draft, event: RunEvent, at: number): void {
  const { lastEventAt } = draft;
  draft.seq = event.seq;
  draft.lastEventAt = at;
  observe(program, draft, event);
  switch (event.type) {
    case 'PipelineStarted':
      return runStarted(program, draft, event, at);
    case 'PipelineResumed':
      return runResumed(program, draft, event, at, lastEventAt);
    case 'PipelinePausing':
      draft.pausing = event.reason;
      return;
    case 'PipelinePaused':
      return runStopped(draft, 'paused', at, event.reason);
    case 'PipelineCompleted':
      return runEnded(draft, 'success', at);
    case 'PipelineFailed':
      return runFailed(draft, event, at);
    case 'PipelineCancelled':
      runStopped(draft, 'cancelled', at);
      draft.endedAt = at;
      return;
    case 'StageStarted':
      return stageStarted(program, draft, event, at);
    case 'StageCompleted':
      return stageSettled(program, draft, event);
    case 'StageSkipped':
      return event.stopped ? stageStopped(draft, event) : stageSettled(program, draft, event);
    case 'StageFailed':
      noteFailure(draft, event);
      return event.will_retry ? attemptFailed(draft, event) : stageSettled(program, draft, event);
    case 'StageRetrying':
      return stageRetrying(program, draft, event, at);
    case 'StageSuspended':
      return stageSuspended(draft, event);
    case 'StageOutput':
    case 'ToolCallStarted':
    case 'ToolCallCompleted':
    case 'RequestRetrying':
    case 'ConversationCompacting':
      return;
    case 'ModelUsed':
      return modelUsed(draft, event);
    case 'StageSteered':
      return stageSteered(draft, event);
    case 'SteeringDelivered':
      return steeringDelivered(draft, event);
    case 'SessionStarted':
      return sessionStarted(draft, event);
    case 'BudgetWarning':
    case 'BudgetExceeded':
      return budgetReported(draft, event);
    case 'EdgeSelected':
      return edgeSelected(draft, event);
    case 'LoopRestarted':
      return loopRestarted(program, draft, event);
    case 'ParallelItems':
      return parallelItems(changeCursor(draft, event.branch), event);
    case 'ParallelStarted':
      return parallelStarted(changeCursor(draft, event.branch), event, at);
    case 'ParallelBranchStarted':
      return branchStarted(program, draft, event, at);
    case 'ParallelBranchCompleted':
      return branchCompleted(program, draft, event);
    case 'ParallelCompleted':
      return parallelCompleted(changeCursor(draft, event.branch), event);
    case 'InterviewStarted':
      return questionAsked(draft, event, at);
    case 'InterviewCompleted':
      draft.terminalFailures = persistentMap();
      return questionAnswered(draft, event.branch, event.question_id, event.answer);
    case 'InterviewTimeout':
      return questionAnswered(draft, event.branch, event.question_id, event.answer);
    case 'CheckpointSaved':
      return;
    case 'LogAppended':
      draft.logs = draft.logs.push(event.message);
      return;
  }
}
