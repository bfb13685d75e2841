import { Chalk, type ChalkInstance } from 'chalk';
import { counted } from '../../diagnostic/counted.js';
import { listFirst } from '../../diagnostic/list-first.js';
import { printable, printableLines } from '../../diagnostic/printable.js';
import type { Program } from '../../graph/program.js';
import { describeCompaction, describeRetry } from '../../machine/describe-wait.js';
import type { RunEvent } from '../../machine/event.js';
import type { ChildOrigin } from '../../run/run.js';
import { formatDuration } from '../../view/format-duration.js';
import type { RunResult } from '../../view/run-result.js';
import type { OutputStream } from '../io.js';
import { raisedBudgets } from '../output/raised-budgets.js';
import { usageTable } from '../output/usage-table.js';
import { wholeOutput } from '../output/whole-output.js';
import { shellWord } from '../run-name.js';
import { ProgressLines } from './progress-lines.js';
import { progressTable } from './progress-table.js';
import { toolCallText } from './tool-call-text.js';

/** Shows a run as it goes: one line a stage. */
export interface Progress {
  onEvent(event: RunEvent): void;
  /** An event of a run that a stage runs. */
  onChildEvent(event: RunEvent, origin: ChildOrigin): void;
  /** Writes a notice of the command line for the person. */
  note(text: string): void;
  /** Writes a remark. */
  remark(text: string): void;
  finish(result: RunResult, place: RunNames): void;
  /** Takes the moving line away, however the run ended. */
  stop(): void;
}

/** Directory of a run, with its name for the next call. */
export interface RunNames {
  readonly directory: string;
  readonly run: string;
}

export interface ProgressOptions {
  readonly color: boolean;
}

/** Moving line: a text, the time since something began, and another text. */
export interface MovingLine {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly rest: string;
}

/** Shows which stage is under way, until something else is printed. */
export interface Spinner {
  start(shown: MovingLine): void;
  clear(): void;
}

/** @param spinner the moving line; missing where the output is not a terminal */
export function createProgress(
  program: Program,
  stream: OutputStream,
  options: ProgressOptions,
  spinner?: Spinner,
): Progress {
  const chalk = new Chalk({ level: options.color ? 1 : 0 });
  const table = progressTable(chalk, () => (stream.isTTY ? stream.columns : undefined));
  const underWay = new StagesUnderWay(spinner);
  const print = (line: string): void => {
    spinner?.clear();
    stream.write(`${line}\n`);
    underWay.show();
  };
  const lines = new ProgressLines(program, table, chalk);
  const linesOfChildren = new Map<string, ProgressLines>();
  const childLines = ({ path, directory, program: ofChild }: ChildOrigin): ProgressLines => {
    const known = linesOfChildren.get(directory);
    const own = known ?? new ProgressLines(ofChild, table, chalk, path);
    linesOfChildren.set(directory, own);
    return own;
  };
  const show = (event: RunEvent, shown: ProgressLines): void => {
    underWay.note(event, shown);
    if (event.type === 'InterviewStarted') spinner?.clear();
    const line = shown.of(event);
    if (line !== undefined) print(line);
  };
  return {
    onEvent: (event) => show(event, lines),
    onChildEvent: (event, origin) => show(event, childLines(origin)),
    note: (text) => print(chalk.yellow(`! ${printableLines(text)}`)),
    remark: (text) => print(chalk.dim(`  ${printableLines(text)}`)),
    finish: (result, place) => {
      underWay.end();
      for (const line of closingLines(result, place, chalk)) print(line);
      for (const line of usageTable(result)) print(chalk.dim(`  ${line}`));
    },
    stop: () => underWay.end(),
  };
}

/** The stage that has begun last of those under way, and how many others there are, on the moving line. */
class StagesUnderWay {
  readonly #spinner: Spinner | undefined;
  /** Stages by run and visit, in the order in which they began. */
  readonly #stages = new Map<string, Omit<MovingLine, 'rest'> & { readonly doing?: string }>();
  /** Those that wait for the next request to a model. */
  readonly #waiting = new Set<string>();

  constructor(spinner: Spinner | undefined) {
    this.#spinner = spinner;
  }

  /** A parallel node no longer counts as one after its branches begin. */
  note(event: RunEvent, lines: ProgressLines): void {
    if (this.#spinner === undefined || !('index' in event) || !('attempt' in event)) return;
    const key = `${event.run_id} ${event.index}`;
    if (event.type === 'StageStarted') {
      if (lines.isInstant(event.node_id)) return;
      this.#stages.set(key, { text: lines.running(event.node_id), since: Date.now() });
      this.show();
    } else if (event.type === 'ToolCallStarted') this.#nowAt(key, toolCallText(event.tool, event.input));
    else if (event.type === 'ToolCallCompleted') this.#nowAt(key, undefined);
    else if (event.type === 'RequestRetrying') {
      this.#waiting.add(key);
      this.#nowAt(key, describeRetry(event));
    } else if (event.type === 'ConversationCompacting') {
      this.#waiting.add(key);
      this.#nowAt(key, describeCompaction(event));
    } else if (isReply(event) && this.#waiting.delete(key)) this.#nowAt(key, undefined);
    else if (isEndOfAttempt(event)) this.#stages.delete(key);
  }

  /** Sets the current activity of a running stage. */
  #nowAt(key: string, doing: string | undefined): void {
    const stage = this.#stages.get(key);
    if (stage === undefined) return;
    const { text, since } = stage;
    this.#stages.set(key, doing === undefined ? { text, since } : { text, since, doing });
    this.show();
  }

  show(): void {
    const last = [...this.#stages.values()].at(-1);
    if (last === undefined) return this.#spinner?.clear();
    const { text, since, doing } = last;
    const others = this.#stages.size - 1;
    const more = others === 0 ? '' : `, and ${others} more`;
    this.#spinner?.start({ text, since, rest: `${doing === undefined ? '' : ` · ${doing}`}${more}` });
  }

  end(): void {
    this.#stages.clear();
    this.#spinner?.clear();
  }
}

/** True if a model answers, for example after a pause. */
function isReply({ type }: RunEvent): boolean {
  return type === 'StageOutput' || type === 'ModelUsed';
}

/** Also where the stage waits for another attempt, or fans out. */
function isEndOfAttempt({ type }: RunEvent): boolean {
  return (
    type === 'StageCompleted' ||
    type === 'StageFailed' ||
    type === 'StageSkipped' ||
    type === 'StageRetrying' ||
    type === 'StageSuspended' ||
    type === 'ParallelStarted'
  );
}

function closingLines(
  result: RunResult,
  { directory, run }: RunNames,
  chalk: ChalkInstance,
): readonly string[] {
  const extent = `${counted(result.steps, 'stage')} in ${formatDuration(result.duration_ms)}`;
  const simulatedText = simulatedRemark(result);
  const files = chalk.dim(`  run directory: ${printable(directory)}`);
  const again = chalk.dim(`  resume:        attractor resume ${printable(run)}${raisedBudgets(result)}`);
  const merge =
    result.git === undefined ? [] : [chalk.dim(`  merge with:    git merge ${printable(result.git.branch)}`)];
  const { waiting_node: node } = result;
  switch (result.status) {
    case 'success':
      return [
        '',
        `${chalk.green.bold('✔ success')}${qualityRemark(result)}${simulatedText} · ${extent}`,
        files,
        ...merge,
      ];
    case 'fail': {
      const output = wholeOutput(result.run_dir, result.failed_node, run);
      return [
        '',
        `${chalk.red.bold('✖ failed')} at ${printable(result.failed_node ?? '')}${simulatedText} · ${extent}`,
        ...indented(result.failure_reason ?? ''),
        files,
        ...(output === undefined ? [] : [chalk.dim(`  full output:   ${output}`)]),
        again,
      ];
    }
    case 'paused':
      return [
        '',
        `${chalk.yellow.bold('‖ paused')}: ${pauseText(result)}${simulatedText} · ${extent}`,
        files,
        again,
        ...(node === undefined ? [] : howToAnswer(node, run).map((line) => chalk.dim(line))),
      ];
    case 'cancelled':
      return ['', `${chalk.yellow.bold('■ cancelled')}${simulatedText} · ${extent}`, files, again];
  }
}

function howToAnswer(node: string, run: string): readonly string[] {
  return [
    `  show question: attractor status ${printable(run)}`,
    `  answer:        attractor resume ${printable(run)} --answer ${printable(shellWord(`${node}=ANSWER`))}`,
  ];
}

function pauseText({ paused_reason: reason = '', waiting_node: node }: RunResult): string {
  return `${printable(reason)}${node ? ` (${printable(node)})` : ''}`;
}

function indented(text: string): readonly string[] {
  return printableLines(text)
    .split('\n')
    .map((line) => `  ${line}`);
}

/** Names the stages that only pretended to do their work (SEMANTICS 120). */
function simulatedRemark({ simulated_stages: simulated }: RunResult): string {
  return simulated.length === 0 ? '' : `, simulated (${listFirst(simulated, 5, printable)})`;
}

/** Reason why a success is degraded (SEMANTICS 99). */
function qualityRemark({ quality, failed_stages: failed }: RunResult): string {
  if (quality === 'clean') return '';
  return failed.length === 0
    ? `, ${quality} (some stages were only partly successful)`
    : `, ${quality} (failed: ${failed.map(printable).join(', ')})`;
}
