import { Chalk, type ChalkInstance } from 'chalk';
import type { EdgeSelected, RunEvent, StageStarted } from '../engine/machine/event.js';
import type { Outcome } from '../engine/machine/outcome.js';
import type { RunResult } from '../engine/runtime/run-result.js';
import type { Program, ProgramNode } from '../graph/program.js';
import type { ChildOrigin } from '../run.js';
import { formatDuration } from './format-duration.js';
import type { OutputStream } from './io.js';

/** Shows a run as it goes: one line a stage. */
export interface Progress {
  onEvent(event: RunEvent): void;
  /** An event of a run that a stage runs. */
  onChildEvent(event: RunEvent, origin: ChildOrigin): void;
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
  const linesOfChildren = new Map<string, EventLines>();
  const childLines = ({ path, directory, program: ofChild }: ChildOrigin): EventLines => {
    const known = linesOfChildren.get(directory);
    const own = known ?? new EventLines(ofChild, chalk, idWidth, options, path);
    linesOfChildren.set(directory, own);
    return own;
  };
  const show = (event: RunEvent, shown: EventLines): void => {
    if (event.type === 'StageStarted') spinner?.start(shown.running(event));
    if (event.type === 'InterviewStarted') spinner?.clear();
    const line = shown.of(event);
    if (line !== undefined) print(line);
  };
  return {
    onEvent: (event) => show(event, lines),
    onChildEvent: (event, origin) => show(event, childLines(origin)),
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
  /** The nodes that run it, where it is the run of a stage. */
  readonly #path: readonly string[];

  constructor(
    program: Program,
    chalk: ChalkInstance,
    idWidth: number,
    options: ProgressOptions,
    path: readonly string[] = [],
  ) {
    this.#program = program;
    this.#chalk = chalk;
    this.#idWidth = idWidth;
    this.#options = options;
    this.#path = path;
  }

  running(event: StageStarted): string {
    return this.#column(event.node_id, this.#kind(event.node_id));
  }

  /** The line of an event; nothing for most. */
  of(event: RunEvent): string | undefined {
    const chalk = this.#chalk;
    switch (event.type) {
      case 'PipelineStarted':
        if (this.#path.length > 0) return `${chalk.cyan('▸')} ${this.#heading(`runs ${event.name}`)}`;
        return `${chalk.bold(event.name)}${event.goal === '' ? '' : ` · ${event.goal}`}`;
      case 'PipelineResumed':
        if (this.#path.length > 0) return `${chalk.cyan('▸')} ${this.#heading('goes on')}`;
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
    const node = { ...this.#nodeNamed(nodeId), id: this.#placed(nodeId) };
    const kind = this.#options.isSimulated(node) ? 'simulated' : this.#kind(nodeId);
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
    return `${this.#placed(nodeId).padEnd(this.#idWidth)}  ${this.#chalk.dim(rest)}`;
  }

  #heading(rest: string): string {
    return `${this.#path.join('/').padEnd(this.#idWidth)}  ${this.#chalk.dim(rest)}`;
  }

  /** As scripts and answers call the stage of a child. */
  #placed(nodeId: string): string {
    return [...this.#path, nodeId].join('/');
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
