import { Chalk, type ChalkInstance } from 'chalk';
import { printable, printableLines } from '../../diagnostic/printable.js';
import type { Program } from '../../graph/program.js';
import type { RunEvent, StageFailed } from '../../machine/event.js';
import { mainCursor } from '../../machine/state.js';
import type { ChildOrigin, StageText } from '../../run/run.js';
import { hearText } from '../../view/fold/apply-progress.js';
import type { RunResult } from '../../view/run-result.js';
import type { OutputStream } from '../io.js';
import { usageTable } from '../output/usage-table.js';
import { closingLines, type RunNames } from './closing-lines.js';
import { failureTail } from './failure-tail.js';
import { Heartbeat, stillRunning } from './heartbeat.js';
import { liveRows } from './live-rows.js';
import { LatestLines } from './output-files.js';
import { ProgressLines } from './progress-lines.js';
import { type ProgressTable, progressTable } from './progress-table.js';
import { directoryOfStage, nameOfStage, RunWatch, type WatchedRun } from './run-watch.js';
import { VerboseOutput } from './verbose-output.js';

/** Shows a run as it goes: a line for each stage that has ended, and what those under way do now. */
export interface Progress {
  onEvent(event: RunEvent): void;
  /** An event of a run that a stage runs. */
  onChildEvent(event: RunEvent, origin: ChildOrigin): void;
  /** Text of a model, before the event that has it. */
  onText(text: StageText): void;
  /** Writes a notice of the command line for the person. */
  note(text: string): void;
  /** Writes a remark. */
  remark(text: string): void;
  /** Lines of the stages under way, for the end of a terminal with this size. */
  liveLines(size: { readonly columns: number; readonly rows: number }): readonly string[];
  finish(result: RunResult, place: RunNames): void;
  /** Ends what would still be shown, however the run ended. */
  stop(): void;
}

export interface ProgressOptions {
  readonly color: boolean;
  /** True if the stages under way are shown in place; otherwise a line a minute names them. */
  readonly isLive?: boolean;
  /** Directory of the run with this id; undefined if it is not known. */
  readonly directoryOf?: (runId: string) => string | undefined;
  /** Shows what models say and commands print while they do. */
  readonly isVerbose?: boolean;
  /**
   * Shows what a stage that has ended has printed, before its line, or with it. @returns true if the line is shown
   */
  readonly showStage?: (directory: string | undefined, line: string, isFailure: boolean) => boolean;
  /** Path as people see it. */
  readonly displayPath?: (path: string) => string;
  /** True while a person is asked at the console. */
  readonly isAsking?: () => boolean;
}

export function createProgress(program: Program, stream: OutputStream, options: ProgressOptions): Progress {
  return new ProgressView(program, stream, options);
}

class ProgressView implements Progress {
  readonly #stream: OutputStream;
  readonly #options: ProgressOptions;
  readonly #chalk: ChalkInstance;
  readonly #table: ProgressTable;
  readonly #watch: RunWatch;
  readonly #lines = new WeakMap<WatchedRun, ProgressLines>();
  readonly #latestLines = new LatestLines(() => Date.now());
  readonly #heartbeat: Heartbeat | undefined;
  readonly #verbose: VerboseOutput | undefined;
  /** Node whose failure was shown last, with the end of its output. */
  #tailOf: string | undefined;
  #isOver = false;

  constructor(program: Program, stream: OutputStream, options: ProgressOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#chalk = new Chalk({ level: options.color ? 1 : 0 });
    this.#table = progressTable(this.#chalk, () => (stream.isTTY ? stream.columns : undefined));
    this.#watch = new RunWatch(program, options.directoryOf, () => Date.now());
    this.#verbose = options.isVerbose ? this.#startVerbose() : undefined;
    this.#heartbeat = options.isLive ? undefined : this.#startHeartbeat();
  }

  onEvent(event: RunEvent): void {
    this.#show(event, this.#watch.runOf(event));
  }

  onChildEvent(event: RunEvent, origin: ChildOrigin): void {
    this.#show(event, this.#watch.runOf(event, origin));
  }

  onText(text: StageText): void {
    const run = this.#watch.runOfText(text);
    if (run === undefined) return;
    hearText(run.view, text.branch, text);
    this.#verbose?.onText(text);
  }

  note(text: string): void {
    this.#print(this.#chalk.yellow(`! ${printableLines(text)}`));
  }

  remark(text: string): void {
    this.#print(this.#chalk.dim(`  ${printableLines(text)}`));
  }

  liveLines(size: { readonly columns: number; readonly rows: number }): readonly string[] {
    if (this.#isOver) return [];
    const [table, chalk, latestLines] = [this.#table, this.#chalk, this.#latestLines];
    return liveRows(this.#watch.stages(), { ...size, table, chalk, latestLines, now: Date.now() });
  }

  finish(result: RunResult, place: RunNames): void {
    this.stop();
    for (const line of closingLines(result, place, this.#chalk, this.#tailOf)) this.#print(line);
    for (const line of usageTable(result)) this.#print(this.#chalk.dim(`  ${line}`));
  }

  stop(): void {
    this.#isOver = true;
    this.#heartbeat?.stop();
    this.#verbose?.stop();
  }

  #show(event: RunEvent, run: WatchedRun): void {
    const isFailure = event.type === 'StageFailed' && !event.will_retry && this.#verbose === undefined;
    // The view forgets the last words of a stage that ends.
    const tail = isFailure ? this.#tailOfFailure(event, run) : [];
    this.#watch.onEvent(event, run);
    this.#verbose?.onEvent(event, run);
    const line = this.#linesOf(run).of(event);
    if (line !== undefined && !this.#isShown(event, run, line)) this.#print(line);
    if (tail.length > 0) this.#print(tail.map((part) => this.#chalk.dim(`    ${part}`)).join('\n'));
  }

  /** True if the line of a stage that has ended is shown with what the stage has printed. */
  #isShown(event: RunEvent, run: WatchedRun, line: string): boolean {
    const { showStage } = this.#options;
    if (showStage === undefined || !('outcome' in event)) return false;
    const directory = directoryOfStage(run, event.node_id, event.branch);
    return showStage(directory, line, event.type === 'StageFailed');
  }

  #tailOfFailure(event: RunEvent & StageFailed, run: WatchedRun): readonly string[] {
    const { node_id: nodeId, branch } = event;
    const { displayPath = (file) => file } = this.#options;
    const tail = failureTail(event, {
      directory: directoryOfStage(run, nodeId, branch),
      visit: run.view.current.get(branch ?? mainCursor),
      displayPath,
    });
    if (tail.length > 0) this.#tailOf = nameOfStage(run, nodeId, undefined);
    return tail;
  }

  #linesOf(run: WatchedRun): ProgressLines {
    const known = this.#lines.get(run);
    const own = known ?? new ProgressLines(run.program, this.#table, this.#chalk, run.path);
    this.#lines.set(run, own);
    return own;
  }

  #startHeartbeat(): Heartbeat {
    const { isAsking = () => false } = this.#options;
    const text = () => (isAsking() ? undefined : stillRunning(this.#watch.stages()));
    return new Heartbeat(text, (line) => this.#print(this.#chalk.dim(printable(line))));
  }

  #startVerbose(): VerboseOutput {
    const [chalk, table] = [this.#chalk, this.#table];
    const print = (text: string): void => this.#print(text);
    return new VerboseOutput({ chalk, nameWidth: () => table.widths().id, print });
  }

  #print(line: string): void {
    this.#stream.write(`${line}\n`);
    this.#heartbeat?.printed();
  }
}
