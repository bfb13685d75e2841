import type { RunEvent } from '../../machine/event.js';
import { noteItems } from './apply-branches.js';
import { branchCompleted, branchStarted, parallelCompleted, parallelStarted } from './apply-parallel.js';
import {
  budgetReported,
  conversationCompacting,
  edgeSelected,
  logAppended,
  modelUsed,
  requestRetrying,
  stageSaid,
  toolAnswered,
  toolCalled,
} from './apply-progress.js';
import { questionAsked, questionClosed, stageSteered, steeringDelivered } from './apply-question.js';
import { loopRestarted, runEnded, runFailed, runPaused, runResumed, runStarted } from './apply-run.js';
import { attemptFailed, stageRetrying, stageSettled, stageStarted, stageSuspended } from './apply-stage.js';
import { countWork } from './count-work.js';
import type { RunView } from './run-view.js';

/**
 * Folds the next event of a run into its view, in place: the only way in which a view changes. Its cost
 * does not grow with the run; an event of an unknown type changes nothing but the number of the last event.
 */
export function apply(view: RunView, event: RunEvent): void {
  applyEvent(view, event);
  view.lastEventTime = event.timestamp;
  countWork(view, event.timestamp);
}

function applyEvent(view: RunView, event: RunEvent): void {
  view.seq = event.seq;
  view.runId = event.run_id;
  if (event.type !== 'CheckpointSaved') view.lastDescription = event.description;
  switch (event.type) {
    case 'PipelineStarted':
      return runStarted(view, event);
    case 'PipelineResumed':
      return runResumed(view, event);
    case 'PipelinePausing':
      view.turns += 1;
      view.pausing = event.reason;
      return;
    case 'PipelinePaused':
      return runPaused(view, event);
    case 'PipelineCompleted':
      return runEnded(view, 'success', event.timestamp);
    case 'PipelineFailed':
      return runFailed(view, event);
    case 'PipelineCancelled':
      return runEnded(view, 'cancelled', event.timestamp);
    case 'LoopRestarted':
      return loopRestarted(view, event);
    case 'StageStarted':
      return stageStarted(view, event);
    case 'StageCompleted':
    case 'StageSkipped':
      return stageSettled(view, event);
    case 'StageFailed':
      return event.will_retry ? attemptFailed(view, event) : stageSettled(view, event);
    case 'StageRetrying':
      return stageRetrying(view, event);
    case 'StageSuspended':
      return stageSuspended(view, event);
    case 'StageOutput':
      return stageSaid(view, event);
    case 'ToolCallStarted':
      return toolCalled(view, event);
    case 'ToolCallCompleted':
      return toolAnswered(view, event);
    case 'ModelUsed':
      return modelUsed(view, event);
    case 'ConversationCompacting':
      return conversationCompacting(view, event);
    case 'RequestRetrying':
      return requestRetrying(view, event);
    case 'BudgetWarning':
    case 'BudgetExceeded':
      return budgetReported(view, event);
    case 'EdgeSelected':
      return edgeSelected(view, event);
    case 'ParallelItems':
      return noteItems(view, event);
    case 'ParallelStarted':
      return parallelStarted(view, event);
    case 'ParallelBranchStarted':
      return branchStarted(view, event);
    case 'ParallelBranchCompleted':
      return branchCompleted(view, event);
    case 'ParallelCompleted':
      return parallelCompleted(view, event);
    case 'InterviewStarted':
      return questionAsked(view, event);
    case 'InterviewCompleted':
    case 'InterviewTimeout':
      return questionClosed(view, event);
    case 'LogAppended':
      return logAppended(view, event);
    case 'StageSteered':
      return stageSteered(view, event);
    case 'SteeringDelivered':
      return steeringDelivered(view, event);
    case 'CheckpointSaved':
    case 'SessionStarted':
      return;
  }
}

/** View of a run with these events. */
export function applyAll(view: RunView, events: Iterable<RunEvent>): RunView {
  for (const event of events) apply(view, event);
  return view;
}
