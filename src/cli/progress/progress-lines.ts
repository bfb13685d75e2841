import type { ChalkInstance } from 'chalk';
import { printable } from '../../diagnostic/printable.js';
import { cutColumns } from '../../diagnostic/text-columns.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { isReached } from '../../machine/budget-reports.js';
import { describeFormerStatus } from '../../machine/describe-event.js';
import { describeCompaction, describeRetry } from '../../machine/describe-wait.js';
import {
  type BudgetExceeded,
  type BudgetWarning,
  type EdgeSelected,
  forked,
  type ParallelBranchCompleted,
  type RunEvent,
  type StageCompleted,
  type StageFailed,
  type StageSkipped,
} from '../../machine/event.js';
import type { Outcome } from '../../machine/outcome.js';
import { itemsOf } from '../../view/enclosing-items.js';
import { formatDuration } from '../../view/format-duration.js';
import { kindName } from '../output/kind-name.js';
import type { ProgressTable } from './progress-table.js';

/** The lines that the events of one run are worth, for people who watch it. */
export class ProgressLines {
  readonly #program: Program;
  readonly #table: ProgressTable;
  readonly #chalk: ChalkInstance;
  /** The nodes that run it, where it is the run of a stage. */
  readonly #path: readonly string[];
  /** Last remark about a stage in each branch: nothing is repeated. */
  readonly #remarks = new Map<string, string>();
  /** True if the used-up budget was reported, which is the reason for the pause. */
  #hasSaidWhy = false;

  constructor(program: Program, table: ProgressTable, chalk: ChalkInstance, path: readonly string[] = []) {
    this.#program = program;
    this.#table = table;
    this.#chalk = chalk;
    this.#path = path;
    table.admit(program, path);
  }

  /** True if a stage is over as soon as it has begun. */
  #isInstant(nodeId: string): boolean {
    return this.#nodeNamed(nodeId).handler.instant;
  }

  /** The line of an event; nothing for most. */
  of(event: RunEvent): string | undefined {
    const chalk = this.#chalk;
    switch (event.type) {
      case 'PipelineStarted':
        if (this.#path.length > 0) return this.#heading(`runs ${event.name}`);
        return `${chalk.bold(printable(event.name))}${event.goal === '' ? '' : ` · ${printable(firstLine(event.goal))}`}`;
      case 'PipelineResumed':
        if (this.#path.length > 0) return this.#heading('continues');
        return chalk.dim(
          printable(
            `resuming ${event.run_id} ${event.from === forked ? '(a fork)' : `(its status was ${describeFormerStatus(event.from)})`}${event.node_id === undefined ? '' : ` at ${event.node_id}`}`,
          ),
        );
      case 'StageCompleted':
      case 'StageSkipped':
        if (this.#isInstant(event.node_id)) return undefined;
        return this.#stageLine(markOf(event.outcome, chalk), event, remarkOf(event.outcome));
      case 'StageFailed':
        if (event.will_retry) return undefined;
        return this.#stageLine(chalk.red('✖'), event, event.error);
      case 'StageRetrying': {
        const wait = `attempt ${event.attempt} in ${formatDuration(event.delay)}`;
        return this.#table.row(chalk.yellow('↻'), this.#placed(event.node_id), wait);
      }
      case 'RequestRetrying': {
        const { request_attempt: next, request_attempts: all, next_model } = event;
        const count = next_model === undefined ? ` (request ${next} of ${all})` : '';
        const doing = printable(`${describeRetry(event)}${count}`);
        return this.#table.row(chalk.yellow('↻'), this.#placed(event.node_id), doing);
      }
      case 'ConversationCompacting': {
        const doing = `${describeCompaction(event)}: the conversation is too long for ${event.provider}/${event.model}`;
        return this.#table.row(chalk.yellow('↻'), this.#placed(event.node_id), printable(doing));
      }
      case 'ParallelBranchCompleted':
        return this.#branchLine(event);
      case 'EdgeSelected':
        return this.#edgeLine(event);
      case 'LoopRestarted':
        return this.#table.row(
          chalk.cyan('↺'),
          this.#placed(event.node_id),
          `restart ${event.restart}: the pipeline starts over here`,
        );
      case 'PipelinePausing':
        // An interruption at this terminal was reported there.
        return event.reason === 'interrupted' || this.#path.length > 0 || this.#hasSaidWhy
          ? undefined
          : chalk.yellow(`! pausing after the running stages: ${printable(event.reason)}`);
      case 'BudgetWarning':
        // A used-up budget has an event of its own, which follows.
        return isReached(event.used, event.limit)
          ? undefined
          : chalk.yellow(`! ${printable(budgetText(event))}`);
      case 'BudgetExceeded':
        this.#hasSaidWhy = true;
        return chalk.yellow(`! ${printable(budgetText(event))}`);
      case 'LogAppended':
        return event.level === 'warning' ? chalk.yellow(`! ${printable(event.message)}`) : undefined;
      default:
        return undefined;
    }
  }

  #stageLine(
    mark: string,
    { node_id: nodeId, duration, branch, simulated }: StageCompleted | StageSkipped | StageFailed,
    remark: string,
  ): string {
    if (branch !== undefined) this.#remarks.set(branch, remark);
    const id = this.#placed(`${nodeId}${itemsOf(branch)}`);
    const kind = simulated ? 'simulated' : kindName(this.#nodeNamed(nodeId).handler.type);
    return this.#table.stageRow(mark, id, kind, formatDuration(duration), firstLine(remark));
  }

  /** Line with the reason why a branch ended before the join, unless that of its last stage has it. */
  #branchLine({ branch, status, duration, error }: ParallelBranchCompleted): string | undefined {
    const said = this.#remarks.get(branch);
    this.#remarks.delete(branch);
    if (error === undefined || said?.includes(error)) return undefined;
    const mark = status === 'skipped' ? this.#chalk.dim('○') : this.#chalk.red('✖');
    const id = this.#placed(branch);
    return this.#table.stageRow(mark, id, 'branch', formatDuration(duration), firstLine(error));
  }

  /** Only what a reader could not guess: a diamond's choice, a jump. */
  #edgeLine(event: EdgeSelected): string | undefined {
    const isJump = event.edge === undefined;
    if (!isJump && !this.#nodeNamed(event.from).handler.inheritsOutcome) return undefined;
    const why = isJump
      ? event.gate === undefined
        ? event.reason
        : `goal gate "${event.gate}" is not satisfied`
      : (event.condition ?? event.label ?? '');
    const from = isJump && event.gate !== undefined ? event.gate : event.from;
    const mark = this.#chalk.cyan(isJump ? '↩' : '◆');
    return this.#table.row(mark, this.#placed(from), `→ ${event.to}`, why);
  }

  #heading(text: string): string {
    return this.#table.row(this.#chalk.cyan('▸'), this.#path.join('/'), text);
  }

  /** Name of a child's stage, as in scripts and answers. */
  #placed(nodeId: string): string {
    return [...this.#path, nodeId].join('/');
  }

  #nodeNamed(nodeId: string): ProgramNode {
    const node = this.#program.nodes.get(nodeId);
    if (node === undefined) throw new Error(`the program has no node "${nodeId}"`);
    return node;
  }
}

/** Used amount of a budget in the words of the event, with the share. */
function budgetText(event: RunEvent & (BudgetWarning | BudgetExceeded)): string {
  const { type, limit, used, description } = event;
  // The pause, which follows, says how much.
  if (type === 'BudgetExceeded' && event.scope === 'run')
    return 'the budget is used up: the run pauses after the current requests';
  const share = limit === 0 ? '' : ` (${Math.floor((100 * used) / limit)} %)`;
  return `${description}${share}`;
}

function markOf(outcome: Outcome, chalk: ChalkInstance): string {
  switch (outcome.status) {
    case 'success':
      return chalk.green('✔');
    case 'partial_success':
      return chalk.yellow('◐');
    case 'skipped':
      return chalk.dim('○');
    case 'retry':
    case 'fail':
      return chalk.red('✖');
  }
}

/**
 * Remark about an outcome: the person's choice, the label that the stage preferred, or the unfinished part.
 */
function remarkOf({ status, notes = '', preferred_label: label }: Outcome): string {
  if (status === 'partial_success' || status === 'skipped') return notes;
  return label === undefined ? '' : `→ ${label}`;
}

const longestRemark = 100;

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return cutColumns(line, longestRemark);
}
