import { Chalk, type ChalkInstance } from 'chalk';
import { counted } from '../../diagnostic/counted.js';
import { listFirst } from '../../diagnostic/list-first.js';
import { printable, printableLines } from '../../diagnostic/printable.js';
import { padColumns, textColumns } from '../../diagnostic/text-columns.js';
import { describeAmount } from '../../machine/usage.js';
import type { AskedQuestion } from '../../setup/questions-of.js';
import type {
  ActiveParallel,
  ActiveStage,
  BranchOverview,
  FailureOverview,
} from '../../view/active-stage.js';
import type { ChildOverview } from '../../view/child-overview.js';
import type { BudgetOverview } from '../../view/fold/run-view.js';
import { formatDuration } from '../../view/format-duration.js';
import { type ExecutingProcess, type RunOverview, simulatedUnscripted } from '../../view/run-overview.js';
import type { OverviewStatus } from '../../view/run-status.js';
import { elapsed, more, mostLines, oneLine } from '../progress/status-lines.js';
import { formatTime } from './format-time.js';
import { mergeCommand } from './merge-command.js';
import { raisedBudgets } from './raised-budgets.js';
import { questionLines } from './render-questions.js';
import { usageTable } from './usage-table.js';
import { wholeOutput } from './whole-output.js';

/** Options for showing a run. */
export interface StatusOptions {
  /** Name of the run for the next call. */
  readonly run: string;
  /** The same for any run directory. */
  readonly nameOf: (directory: string) => string;
  /** Questions of the run and those below it. */
  readonly questions: readonly AskedQuestion[];
  readonly color: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Status of a run, for people: the state, running stages, open questions, failures, and what to do next. */
export function renderStatus(overview: RunOverview, options: StatusOptions): string {
  const chalk = new Chalk({ level: options.color ? 1 : 0 });
  const show = { ...options, chalk };
  const sections = [
    section('', headLines(overview, show)),
    section(isUnderWay(overview) ? 'now' : 'runs again when resumed', stageLines(overview, show)),
    ...overview.parallels.map((parallel) =>
      section(parallelTitle(parallel), branchLines(parallel, overview, show)),
    ),
    section('waits for an answer', questionLines(options.questions, overview, show)),
    section('failures', failureLines(overview, show)),
    section('usage', usageLines(overview)),
    section('child runs', childLines(overview, show)),
    section('next', nextLines(overview, options.run)),
  ];
  const text = sections
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines }) => [...(title === '' ? [] : [chalk.bold(title)]), ...lines].join('\n'));
  return `${text.join('\n\n')}\n`;
}

interface Show extends StatusOptions {
  readonly chalk: ChalkInstance;
}

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

function section(title: string, lines: readonly string[]): Section {
  return { title, lines };
}

function headLines(overview: RunOverview, { chalk, now }: Show): readonly string[] {
  const { status, process: owner, name, goal, requested } = overview;
  const asked = requested === null ? '' : chalk.yellow(`, asked to ${requested}`);
  const why = overview.failure_reason ?? overview.paused_reason;
  const place = overview.failed_node === null ? '' : ` at ${printable(overview.failed_node)}`;
  const rows: readonly (readonly [string, string])[] = [
    ['run', printable(overview.run_dir)],
    ...(owner === null ? [] : [executorRow(owner, now)]),
    ['started', `${formatTime(overview.start_time)}${took(overview)}`],
    ...modeRows(overview),
    ...(overview.forked_from === null
      ? []
      : [['forked', `from ${printable(overview.forked_from.run_id)}`] as const]),
    ...(overview.git === null ? [] : [['branch', printable(overview.git.branch)] as const]),
    ['done', doneText(overview)],
    ['quality', `${overview.quality}${overview.end_time === null ? ' so far' : ''}`],
  ];
  return [
    `${statusMark(status, chalk)}${place}${asked} · ${printable(name)}${goal === '' ? '' : ` · ${oneLine(goal)}`}`,
    ...(why === null
      ? []
      : printableLines(why)
          .split('\n')
          .map((line) => `  ${line}`)),
    ...rows.map(([key, value]) => `  ${chalk.dim(key.padEnd(8))} ${value}`),
  ];
}

function executorRow(
  { pid, host, worker, since: taken }: ExecutingProcess,
  now: number,
): readonly [string, string] {
  if (worker !== null) return ['worker', `${worker}, ${since(taken, now)}`];
  const name = host === null ? String(pid) : `${pid} on ${host} (in another container or on another machine)`;
  return ['process', `${name}, ${since(taken, now)}`];
}

/** A run that does real work has none. */
function modeRows(overview: RunOverview): readonly (readonly [string, string])[] {
  if (overview.simulated) return [['mode', 'simulated: no stage does any real work']];
  const { scripted_nodes: scripted } = overview;
  const simulatedStages = simulatedUnscripted(overview);
  const modes = [
    ...(scripted.length === 0 ? [] : [`scripted: ${printable(listFirst(scripted))}`]),
    ...(simulatedStages.length === 0 ? [] : [`simulated: ${printable(listFirst(simulatedStages))}`]),
  ];
  return modes.length === 0 ? [] : [['mode', `${modes.join('; ')}; all other stages do real work`]];
}

function statusMark(status: OverviewStatus, chalk: ChalkInstance): string {
  switch (status) {
    case 'queued':
      return chalk.cyan.bold('… queued');
    case 'running':
      return chalk.cyan.bold('▶ running');
    case 'paused':
      return chalk.yellow.bold('‖ paused');
    case 'interrupted':
      return chalk.yellow.bold('‖ interrupted');
    case 'success':
      return chalk.green.bold('✔ success');
    case 'fail':
      return chalk.red.bold('✖ failed');
    case 'cancelled':
      return chalk.yellow.bold('■ cancelled');
  }
}

function took({ duration_ms, end_time }: RunOverview): string {
  const duration = formatDuration(duration_ms);
  return end_time === null
    ? ` (${duration_ms < 1 ? 'just now' : `${duration} ago`})`
    : `, ended ${formatTime(end_time)} (${duration})`;
}

function doneText({ stages_done: stages, last_stage: last, retries, restarts }: RunOverview): string {
  return [
    `${counted(stages, 'stage')}${last === null ? '' : ` (the last one: ${printable(last)})`}`,
    ...(retries > 0 ? [counted(retries, 'retry', 'retries')] : []),
    ...(restarts > 0 ? [counted(restarts, 'restart')] : []),
  ].join(', ');
}

/** Lines of the main line's stages; branches and questions have separate sections. */
function stageLines({ stages, questions, process: owner }: RunOverview, { now }: Show): readonly string[] {
  const asking = new Set(questions.map(({ branch }) => branch));
  const shown = stages.filter(({ branch, state }) => {
    return branch === null && state !== 'branches' && !asking.has(branch);
  });
  return shown.map((stage) => {
    const doing = owner === null ? `, began ${formatTime(stage.since)}` : ` ${stageText(stage, now)}`;
    return `  ${printable(stage.node_id)}${doing}${ordinals(stage)}`;
  });
}

function ordinals({ attempt, visit }: ActiveStage): string {
  return `${attempt > 1 ? `, attempt ${attempt}` : ''}${visit > 1 ? `, visit ${visit}` : ''}`;
}

function stageText({ state, since: begun, until, doing, worker }: ActiveStage, now: number): string {
  switch (state) {
    case 'running': {
      const where = worker === null ? '' : ` on ${printable(worker)}`;
      return `running for ${elapsed(begun, now)}${where}${doing === null ? '' : `, ${printable(doing)}`}`;
    }
    case 'branches':
      return 'branches of its own';
    case 'waiting': {
      // Where the clock of the machine was ahead, the time since then cannot be known; it waits no longer than it says.
      const rest = until === null ? 0 : Date.parse(until) - Math.max(now, Date.parse(begun));
      return rest > 0 ? `waits ${formatDuration(rest)} more for its next attempt` : 'about to be tried again';
    }
    case 'asking':
      return `asks, for ${elapsed(begun, now)}`;
    case 'suspended':
      return 'cannot continue now';
  }
}

function parallelTitle(parallel: ActiveParallel): string {
  const { node_id, branch_count, counts } = parallel;
  const done = begunBranches(parallel) - (counts.running ?? 0);
  const failed = counts.fail === undefined ? '' : `, ${counts.fail} failed`;
  return `branches of ${printable(node_id)}: ${done} of ${branch_count} done${failed}`;
}

function begunBranches({ counts }: ActiveParallel): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function branchLines(parallel: ActiveParallel, overview: RunOverview, show: Show): readonly string[] {
  const { branches, branch_count: count } = parallel;
  const stageOf = new Map(overview.stages.map((stage) => [stage.branch, stage]));
  const shown = [...branches].sort((one, other) => branchRank(one) - branchRank(other)).slice(0, mostLines);
  const width = widest(shown.map(({ branch }) => printable(branch)));
  const begun = begunBranches(parallel);
  const waiting = count - begun;
  return [
    ...shown.map((branch) => {
      const stage = stageOf.get(branch.branch);
      const doing =
        overview.process === null ? 'continues when resumed' : branchText(branch, stage, show.now);
      return branch.state === 'running'
        ? `  ${show.chalk.cyan('▶')} ${padColumns(printable(branch.branch), width)}  ${doing}`
        : endedBranchLine(branch, width, show);
    }),
    ...more(begun),
    ...(waiting > 0
      ? [show.chalk.dim(`  ${counted(waiting, 'branch has', 'branches have')} not begun`)]
      : []),
  ];
}

function branchText({ since: begun }: BranchOverview, stage: ActiveStage | undefined, now: number): string {
  const at =
    stage === undefined ? '' : `, at ${printable(stage.node_id)}: ${stageText(stage, now)}${ordinals(stage)}`;
  return `for ${elapsed(begun, now)}${at}`;
}

function endedBranchLine(branch: BranchOverview, width: number, { chalk }: Show): string {
  const took = `${branch.state} in ${formatDuration(branch.duration_ms ?? 0)}`;
  const error = branch.error === null ? '' : `  ${chalk.dim(oneLine(branch.error))}`;
  return `  ${branchMark(branch, chalk)} ${padColumns(printable(branch.branch), width)}  ${took}${error}`;
}

/** Rank of a branch: running and failed ones come before finished ones. */
function branchRank({ state }: BranchOverview): number {
  return { running: 0, fail: 1, retry: 1, partial_success: 2, skipped: 3, success: 4 }[state];
}

function branchMark({ state }: BranchOverview, chalk: ChalkInstance): string {
  if (state === 'success') return chalk.green('✔');
  if (state === 'skipped') return chalk.dim('○');
  return state === 'partial_success' ? chalk.yellow('◐') : chalk.red('✖');
}

function failureLines({ failures }: RunOverview, { chalk, now }: Show): readonly string[] {
  const shown = failures
    .toReversed()
    .sort((one, other) => Number(one.recovered) - Number(other.recovered))
    .slice(0, mostLines);
  const width = widest(shown.map(({ node_id: id }) => printable(id)));
  const lines = shown.map((failure) => {
    const mark = failure.recovered ? chalk.dim('○') : chalk.red('✖');
    const remark = chalk.dim(failureRemark(failure, now));
    return `  ${mark} ${padColumns(printable(failure.node_id), width)}  ${oneLine(failure.reason)}  ${remark}`;
  });
  return [...lines, ...more(failures.length)];
}

function failureRemark({ count, category, at, recovered }: FailureOverview, now: number): string {
  const when = `${elapsed(at, now)} ago`;
  const often = count === 1 ? when : `${count} times, the last ${when}`;
  const kind = category === null ? '' : `${category}; `;
  return `(${kind}${often}${recovered ? '; has succeeded since' : ''})`;
}

/** Lines of model usage by stage, and of the budgets (SEMANTICS §12). */
function usageLines(overview: RunOverview): readonly string[] {
  const table = usageTable(overview);
  const budgets = overview.budgets.map(budgetLine);
  return [...table, ...budgets].map((line) => `  ${line}`);
}

function budgetLine({ unit, limit, used, node_id: id }: BudgetOverview): string {
  const whose = id === null ? 'budget of the run' : `budget of ${printable(id)}`;
  const share = limit === 0 ? '' : ` (${Math.floor((100 * used) / limit)} %)`;
  return `${whose}: ${describeAmount(unit, used)} of ${describeAmount(unit, limit)}${share}`;
}

function childLines({ child_runs }: RunOverview, show: Show): readonly string[] {
  const children = withTheirChildren(child_runs);
  const lines = children
    .slice(0, mostLines)
    .flatMap((child) => [
      `  ${printable(child.name)}  ${child.status}  ${printable(show.nameOf(child.run_dir))}`,
      ...childStageLines(child, show.now),
    ]);
  return [...lines, ...more(children.length)];
}

function withTheirChildren(children: readonly ChildOverview[]): readonly ChildOverview[] {
  return children.flatMap((child) => [child, ...withTheirChildren(child.child_runs)]);
}

function childStageLines({ stages, pid }: ChildOverview, now: number): readonly string[] {
  const shown = stages.filter(({ state }) => state !== 'branches');
  const lines = shown.slice(0, mostLines).map((stage) => {
    const doing = pid === null ? ' continues when resumed' : ` ${stageText(stage, now)}`;
    return `    ${printable(stage.node_id)}${doing}${ordinals(stage)}`;
  });
  return [...lines, ...more(shown.length).map((line) => `  ${line}`)];
}

/** True for a run that somebody executes, or will. */
function isUnderWay({ status, process }: RunOverview): boolean {
  return process !== null || status === 'queued';
}

function nextLines(overview: RunOverview, run: string): readonly string[] {
  const { status, git } = overview;
  if (isUnderWay(overview)) {
    return [`  attractor logs -f ${run}`, `  attractor pause ${run}`, `  attractor cancel ${run}`];
  }
  if (status === 'success') return [...mergeLines(git), `  attractor logs ${run}`];
  const output = status === 'fail' ? wholeOutput(overview.run_dir, overview.failed_node, run) : undefined;
  return [
    `  attractor resume ${run}${raisedBudgets(overview)}`,
    `  attractor logs ${run}`,
    ...(output === undefined ? [] : [`  ${output}`]),
  ];
}

function mergeLines(git: RunOverview['git']): readonly string[] {
  return git === null ? [] : [`  ${mergeCommand(git.branch, git.remote)}`];
}

function widest(words: readonly string[]): number {
  return Math.max(0, ...words.map(textColumns));
}

function since(time: string, now: number): string {
  return `since ${formatTime(time)} (${elapsed(time, now)})`;
}
