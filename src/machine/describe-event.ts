import { describeCompaction, describeRetry } from './describe-wait.js';
import { type EventBody, forked } from './event.js';
import { describeAmount, tokensOf } from './usage.js';

/** Sentence about an event, for people (§9.6). */
export function describeEvent(event: EventBody): string {
  switch (event.type) {
    case 'StageStarted':
      return `Stage "${event.node_id}" started${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}${event.resumed ? ' again after an interruption' : ''}`;
    case 'StageCompleted':
      return `Stage "${event.node_id}" completed: ${event.outcome.status}`;
    case 'EdgeSelected':
      // The heaviest edge is usually the only one.
      return `From "${event.from}" to "${event.to}"${event.reason === 'weight' ? '' : ` by ${event.reason}`}`;
    case 'ParallelBranchStarted':
      return `Branch "${event.branch}" of "${event.node_id}" ${event.resumed ? 'continues' : 'started'}`;
    case 'ParallelBranchCompleted':
      return `Branch "${event.branch}" of "${event.node_id}" ended: ${event.status}${event.error === undefined ? '' : ` (${event.error})`}`;
    case 'PipelineStarted':
      return `Pipeline "${event.name}" started`;
    case 'PipelineResumed':
      return `Pipeline ${event.from === forked ? 'forked' : `resumed (its status was ${describeFormerStatus(event.from)})`}${event.node_id === undefined ? '' : ` at "${event.node_id}"`}`;
    case 'PipelinePausing':
      return `Pipeline will pause after the running stages: ${event.reason}`;
    case 'PipelinePaused':
      return `Pipeline paused: ${event.reason}`;
    case 'PipelineCompleted':
      return 'Pipeline completed';
    case 'PipelineFailed':
      return `Pipeline failed: ${event.error}`;
    case 'PipelineCancelled':
      return 'Pipeline cancelled';
    case 'StageSkipped':
      return `Stage "${event.node_id}" skipped`;
    case 'StageFailed':
      return `Stage "${event.node_id}" failed: ${event.error}`;
    case 'StageRetrying':
      return `Stage "${event.node_id}" will be retried in ${event.delay} ms, attempt ${event.attempt}`;
    case 'StageSuspended':
      return `Stage "${event.node_id}" cannot continue now: ${event.reason}`;
    case 'StageOutput':
      return `Stage "${event.node_id}" ${event.channel === 'response' ? 'answers' : 'thinks'}`;
    case 'ToolCallStarted':
      return `Stage "${event.node_id}" calls ${event.tool}`;
    case 'ToolCallCompleted':
      return `Stage "${event.node_id}" called ${event.tool}: ${event.success ? 'done' : 'failed'}`;
    case 'ModelUsed':
      return `Stage "${event.node_id}" used ${tokensOf(event.usage)} tokens${event.model === '' ? '' : ` of ${event.model}`}`;
    case 'RequestRetrying':
      return `Stage "${event.node_id}" is ${describeRetry(event)}${event.next_model === undefined ? `, then request ${event.request_attempt} of ${event.request_attempts}` : ''}`;
    case 'ConversationCompacting':
      return `Stage "${event.node_id}" is ${describeCompaction(event)}`;
    case 'StageSteered':
      return `${event.by ?? 'A person'} tells "${event.node_id}": ${event.text}`;
    case 'SteeringDelivered':
      return `The model of "${event.node_id}" gets the words of a person`;
    case 'SessionStarted':
      return event.includes_stage
        ? `The session of the thread "${event.thread_id}" has the stage "${event.node_id}"`
        : `Stage "${event.node_id}" has the session of the thread "${event.thread_id}"`;
    case 'BudgetWarning':
    case 'BudgetExceeded':
      return describeBudget(event);
    case 'LoopRestarted':
      return `Pipeline restarts at "${event.node_id}", restart ${event.restart}`;
    case 'ParallelItems':
      return `Parallel "${event.node_id}" has the items ${event.offset + 1} to ${event.offset + event.items.length}`;
    case 'ParallelStarted':
      return `Parallel "${event.node_id}" starts ${event.branch_count} ${event.branch_count === 1 ? 'branch' : 'branches'}, which meet at "${event.join}"${event.kept ? `; ${event.kept} ended before` : ''}`;
    case 'ParallelCompleted':
      return `Parallel "${event.node_id}" ended: ${event.success_count} succeeded, ${event.failure_count} failed`;
    case 'InterviewStarted':
      return `Stage "${event.stage}" asks: ${event.question.text}`;
    case 'InterviewCompleted':
      return `Stage "${event.stage}" was answered: ${event.answer.value}`;
    case 'InterviewTimeout':
      return `Stage "${event.stage}" got no answer in time`;
    case 'CheckpointSaved':
      return `Checkpoint saved after "${event.node_id}"`;
    case 'LogAppended':
      return event.message;
  }
}

function describeBudget({ type, scope, unit, limit, used, node_id }: BudgetEvent): string {
  const who = scope === 'run' ? 'The run' : `Stage "${node_id}"`;
  const end = type === 'BudgetExceeded' ? ': its budget is used up' : '';
  return `${who} has used ${describeAmount(unit, used)} of the ${describeAmount(unit, limit)} allowed${end}`;
}

type BudgetEvent = Extract<EventBody, { readonly type: 'BudgetWarning' | 'BudgetExceeded' }>;

/** Word for the status of a run before it was resumed. A process that was killed left it as running. */
export function describeFormerStatus(from: string): string {
  if (from === 'running') return 'interrupted';
  return from === 'fail' ? 'failed' : from;
}
