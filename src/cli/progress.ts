import { Chalk, type ChalkInstance } from 'chalk';
import type { EdgeSelected, RunEvent, StageStarted } from '../engine/machine/event.js';
import type { Outcome } from '../engine/machine/outcome.js';
import type { RunResult } from '../engine/runtime/run-result.js';
import type { Program, ProgramNode } from '../graph/program.js';
import { formatDuration } from './format-duration.js';
import type { OutputStream } from './io.js';

/** Shows a run as it goes: one line a stage. */
export interface Progress {
  onEvent(event: RunEvent): void;
  /** A remark of the command line itself. */
  note(text: string): void;
  finish(result: RunResult, directory: string): void;
  /** Takes the moving line away, however the run ended. */
  stop(): void;
}

export interface ProgressOptions {
  readonly color: boolean;
  /** Stages whose work is only pretended. */
  readonly isSimulated: (node: ProgramNode) => boolean;
}

/** Shows which stage is under way, until something else is printed. */
export interface Spinner {
  start(text: string): void;
  clear(): void;
}

const widestId = 28;

/** @param spinner the moving line; missing where the output is no terminal */
export function createProgress(
  program: Program,
  stream: OutputStream,
  options: ProgressOptions,
  spinner?: Spinner,
): Progress {
  const chalk = new Chalk({ level: options.color ? 1 : 0 });
  const idWidth = Math.min(widestId, Math.max(...[...program.nodes.keys()].map((id) => id.length)));
  const print = (line: string): void => {
    spinner?.clear();
    stream.write(`${line}\n`);
  };
  const lines = new EventLines(program, chalk, idWidth, options);
  return {
    onEvent(event) {
      if (event.type === 'StageStarted') spinner?.start(lines.running(event));
      if (event.type === 'InterviewStarted') spinner?.clear();
      const line = lines.of(event);
      if (line !== undefined) print(line);
    },
    note: (text) => print(chalk.yellow(`! ${text}`)),
    finish: (result, directory) => {
      for (const line of closingLines(result, directory, chalk)) print(line);
    },
    stop: () => spinner?.clear(),
  };
}

class EventLines {
  readonly #program: Program;
  readonly #chalk: ChalkInstance;
  readonly #idWidth: number;
  readonly #options: ProgressOptions;

  constructor(program: Program, chalk: ChalkInstance, idWidth: number, options: ProgressOptions) {
    this.#program = program;
    this.#chalk = chalk;
    this.#idWidth = idWidth;
    this.#options = options;
  }

  running(event: StageStarted): string {
    return this.#column(event.node_id, this.#kind(event.node_id));
  }

  /** The line of an event; nothing for most. */
  of(event: RunEvent): string | undefined {
    const chalk = this.#chalk;
    switch (event.type) {
      case 'PipelineStarted':
        return `${chalk.bold(event.name)}${event.goal === '' ? '' : ` · ${event.goal}`}`;
      case 'PipelineResumed':
        return chalk.dim(
          `resuming ${event.run_id} (its status was ${event.from})${event.node_id === undefined ? '' : ` at ${event.node_id}`}`,
        );
      case 'StageCompleted':
      case 'StageSkipped':
        if (this.#isInstant(event.node_id)) return undefined;
        return this.#stageLine(
          markOf(event.outcome, chalk),
          event.node_id,
          event.duration,
          remarkOf(event.outcome),
        );
      case 'StageFailed':
        if (event.will_retry) return undefined;
        return this.#stageLine(chalk.red('✖'), event.node_id, event.duration, firstLine(event.error));
      case 'StageRetrying': {
        const wait = `attempt ${event.attempt} in ${formatDuration(event.delay)}`;
        return `${chalk.yellow('↻')} ${this.#column(event.node_id, wait)}`;
      }
      case 'EdgeSelected':
        return this.#edgeLine(event);
      case 'LogAppended':
        return event.level === 'warning' ? chalk.yellow(`! ${event.message}`) : undefined;
      default:
        return undefined;
    }
  }

  #stageLine(mark: string, nodeId: string, duration: number, remark: string): string {
    const kind = this.#options.isSimulated(this.#nodeNamed(nodeId)) ? 'simulated' : this.#kind(nodeId);
    const text = `${mark} ${this.#column(nodeId, kind.padEnd(10))} ${formatDuration(duration).padStart(7)}`;
    return remark === '' ? text : `${text}  ${this.#chalk.dim(remark)}`;
  }

  /** Only what a reader could not guess: a diamond's choice, a jump. */
  #edgeLine(event: EdgeSelected): string | undefined {
    const chalk = this.#chalk;
    const isJump = event.edge === undefined;
    if (!isJump && !this.#nodeNamed(event.from).handler.inheritsOutcome) return undefined;
    const why = isJump
      ? event.gate === undefined
        ? event.reason
        : `goal gate "${event.gate}" is not satisfied`
      : (event.condition ?? event.label ?? '');
    const from = isJump && event.gate !== undefined ? event.gate : event.from;
    return `${chalk.cyan(isJump ? '↩' : '◆')} ${this.#column(from, `→ ${event.to}`)}${why === '' ? '' : `  ${chalk.dim(why)}`}`;
  }

  #column(nodeId: string, rest: string): string {
    return `${nodeId.padEnd(this.#idWidth)}  ${this.#chalk.dim(rest)}`;
  }

  #kind(nodeId: string): string {
    const { handler } = this.#nodeNamed(nodeId);
    return kindNames.get(handler.type) ?? handler.type;
  }

  #isInstant(nodeId: string): boolean {
    return this.#nodeNamed(nodeId).handler.instant;
  }

  #nodeNamed(nodeId: string): ProgramNode {
    const node = this.#program.nodes.get(nodeId);
    if (node === undefined) throw new Error(`the program has no node "${nodeId}"`);
    return node;
  }
}

const kindNames: ReadonlyMap<string, string> = new Map([
  ['codergen', 'llm'],
  ['wait.human', 'human'],
]);

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

/** What a success is worth saying: the person's choice, the label that the stage preferred, or what was left undone. */
function remarkOf(outcome: Outcome): string {
  if (outcome.status === 'partial_success') return firstLine(outcome.notes ?? '');
  return outcome.preferred_label === undefined ? '' : `→ ${outcome.preferred_label}`;
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}

function closingLines(result: RunResult, directory: string, chalk: ChalkInstance): readonly string[] {
  const extent = `${counted(result.steps, 'stage')} in ${formatDuration(result.duration_ms)}`;
  const files = chalk.dim(`  run directory: ${directory}`);
  const again = chalk.dim(`  go on with:    attractor resume ${directory}`);
  switch (result.status) {
    case 'success':
      return ['', `${chalk.green.bold('✔ success')}${qualityRemark(result)} · ${extent}`, files];
    case 'fail':
      return [
        '',
        `${chalk.red.bold('✖ failed')} at ${result.failed_node} · ${extent}`,
        `  ${result.failure_reason}`,
        files,
        again,
      ];
    case 'paused':
      return [
        '',
        `${chalk.yellow.bold('‖ paused')}: ${result.paused_reason}${result.waiting_node ? ` (${result.waiting_node})` : ''} · ${extent}`,
        files,
        again,
      ];
    case 'cancelled':
      return ['', `${chalk.yellow.bold('■ cancelled')} · ${extent}`, files, again];
  }
}

/** What keeps a success from being a clean one (SEMANTICS 99). */
function qualityRemark({ quality, failed_stages: failed }: RunResult): string {
  if (quality === 'clean') return '';
  return failed.length === 0
    ? ` (${quality}: some stages were only partly successful)`
    : ` (${quality}: the latest outcome of ${failed.join(', ')} is a failure)`;
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
