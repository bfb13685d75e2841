import type { ChalkInstance } from 'chalk';
import { printable } from '../../diagnostic/printable.js';
import { cutColumns } from '../../diagnostic/text-columns.js';
import type { RunEvent } from '../../machine/event.js';
import { formatDuration } from '../../view/format-duration.js';
import { toolCallText } from '../../view/tool-call-text.js';
import { formatTime } from '../output/format-time.js';

/**
 * Event for people: its number, its time, its description and its duration.
 * @returns undefined for one that people do not need
 */
export function progressLine(event: RunEvent, chalk: ChalkInstance): string | undefined {
  if (event.type === 'CheckpointSaved') return undefined;
  const place = 'branch' in event && event.branch !== undefined ? `[${printable(event.branch)}] ` : '';
  const duration =
    'duration' in event && event.type.startsWith('Stage') ? ` (${formatDuration(event.duration)})` : '';
  const text = paint(event, `${printable(textOf(event))}${duration}`, chalk);
  return `${chalk.dim(`${String(event.seq).padStart(4)}  ${formatTime(event.timestamp)}`)}  ${chalk.dim(place)}${text}`;
}

const longestOutput = 160;

/** Text of an event; the work of a model is shown itself instead of a description. */
function textOf(event: RunEvent): string {
  switch (event.type) {
    case 'StageOutput':
      return `${event.node_id}: ${cutColumns(event.text.trim().replaceAll(/\s+/g, ' '), longestOutput)}`;
    case 'ToolCallStarted':
      return `${event.node_id}: ${toolCallText(event.tool, event.input)}`;
    default:
      return event.description;
  }
}

function paint(event: RunEvent, text: string, chalk: ChalkInstance): string {
  switch (event.type) {
    case 'PipelineStarted':
    case 'PipelineResumed':
    case 'LoopRestarted':
      return chalk.bold(text);
    case 'PipelineCompleted':
      return chalk.green.bold(text);
    case 'PipelineFailed':
      return chalk.red.bold(text);
    case 'PipelinePausing':
    case 'PipelinePaused':
    case 'PipelineCancelled':
      return chalk.yellow.bold(text);
    case 'StageCompleted':
      return event.outcome.status === 'success' ? chalk.green(text) : chalk.yellow(text);
    case 'StageFailed':
      return chalk.red(text);
    case 'StageRetrying':
    case 'RequestRetrying':
    case 'ConversationCompacting':
    case 'StageSuspended':
    case 'BudgetWarning':
    case 'BudgetExceeded':
    case 'InterviewTimeout':
      return chalk.yellow(text);
    case 'InterviewStarted':
    case 'InterviewCompleted':
      return chalk.cyan(text);
    case 'LogAppended':
      return event.level === 'warning' ? chalk.yellow(`! ${text}`) : text;
    case 'EdgeSelected':
    case 'StageOutput':
    case 'ModelUsed':
    case 'SteeringDelivered':
    case 'SessionStarted':
      return chalk.dim(text);
    case 'ToolCallCompleted':
      return event.success ? chalk.dim(text) : chalk.yellow(text);
    default:
      return text;
  }
}
