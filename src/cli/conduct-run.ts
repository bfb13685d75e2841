import path from 'node:path';
import type { Writable } from 'node:stream';
import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { SourceText } from '../diagnostic/source.js';
import type { RunResult } from '../engine/runtime/run-result.js';
import type { SimulationScript } from '../engine/runtime/simulation-script.js';
import type { ChosenExtensions } from '../extension/load-extensions.js';
import type { Program, ProgramNode } from '../graph/program.js';
import type { CommonRunOptions, InvalidPipeline } from '../run.js';
import { exitCode, exitCodeOfStatus } from './exit-code.js';
import { isModelStage } from './extensions.js';
import type { FrontDesk } from './front-desk.js';
import { type Io, usesColor } from './io.js';
import type { Progress } from './progress.js';
import { reportDiagnostics } from './report-diagnostics.js';
import { answersOf, type CommonArguments, inputsOf } from './run-arguments.js';

/** What a command starts: a new run, or an old one that goes on. */
export interface Conducted {
  readonly program: Program;
  readonly source: SourceText;
  /** The script that the call names. */
  readonly script: SimulationScript | undefined;
  /** Which stages are scripted or only pretended, whatever is plugged in. */
  readonly isPretended: (node: ProgramNode) => boolean;
  readonly extensions: ChosenExtensions;
  /** Where the run was started. */
  readonly workingDirectory: string;
  /** Nobody is asked. */
  readonly isUnattended: boolean;
  /** Said when the run begins. */
  readonly notes: readonly string[];
  /** Where the run is kept, once its id is known. */
  readonly directoryOf: (runId: string) => string;
  readonly start: (options: CommonRunOptions) => Promise<RunResult | InvalidPipeline>;
}

/** Runs with progress, questions and signals, and prints what was asked for. @returns the exit status */
export async function conductRun(conducted: Conducted, options: CommonArguments, io: Io): Promise<number> {
  const { plugIn } = await import('./plug-in.js');
  const { FrontDesk } = await import('./front-desk.js');
  const desk = new FrontDesk(io.stdin, options.json || options.events ? io.stderr : io.stdout);
  const { extensions, isPretended } = conducted;
  const plugged = await plugIn(conducted, desk.console);
  const { interviewer } = plugged.options;
  const isSimulated = (node: ProgramNode): boolean =>
    isPretended(node) || (isModelStage(node, extensions) && plugged.options.backend === undefined);
  const progress = await startProgress(conducted.program, isSimulated, io, desk);
  const notes = [...extensions.notices, ...conducted.notes];
  const interruption = listenForInterruption(io, (text) => progress.note(text));
  const answers = answersOf(options.answer);
  try {
    const result = await conducted.start({
      ...plugged.options,
      ...(interviewer && { interviewer: desk.beside(interviewer) }),
      pauseSignal: interruption.pauseSignal,
      signal: interruption.cancelSignal,
      onNotice: (message) => progress.note(message),
      onEvent: (event) => {
        desk.open(() => conducted.directoryOf(event.run_id));
        for (const note of notes.splice(0)) progress.note(note);
        progress.onEvent(event);
        if (options.events) io.stdout.write(`${JSON.stringify(event)}\n`);
      },
      onChildEvent: (event, origin) => progress.onChildEvent(event, origin),
      ...(options.simulate && { simulate: true }),
      ...(options.seed !== undefined && { seed: options.seed }),
      ...(options.autoApprove && { autoApprove: true }),
      ...(options.strictValues && { strictValues: true }),
      ...(options.maxSteps !== undefined && { maxSteps: options.maxSteps }),
      ...(answers && { answers }),
      ...(conducted.script && { script: conducted.script }),
      ...(options.set && { inputs: inputsOf(options.set) }),
    });
    if (result.status === 'invalid') {
      return await reportInvalid(conducted.source, result.diagnostics, options, io);
    }
    if (result.status !== 'paused') desk.clear();
    progress.finish(result, displayPath(result.run_dir, io.cwd()));
    printResult(result, options, io);
    if (interruption.pauseSignal.aborted && result.status === 'paused') return exitCode.interrupted;
    return exitCodeOfStatus(result.status);
  } finally {
    progress.stop();
    interruption.stopListening();
    desk.close();
    await plugged.close((problem) => io.stderr.write(`attractor: ${problem}\n`));
  }
}

async function startProgress(
  program: Program,
  isSimulated: Conducted['isPretended'],
  io: Io,
  desk: FrontDesk,
): Promise<Progress> {
  const { createProgress } = await import('./progress.js');
  const { stream } = desk;
  const options = { color: usesColor(io, stream), isSimulated };
  const isLive = stream.isTTY === true && io.env.TERM !== 'dumb' && io.env.CI === undefined;
  if (!isLive) return createProgress(program, desk, options);
  const { StageSpinner } = await import('./stage-spinner.js');
  const spinner = new StageSpinner(stream as unknown as Writable);
  return createProgress(program, desk, options, desk.besideQuestions(spinner));
}

interface Interruption {
  readonly pauseSignal: AbortSignal;
  readonly cancelSignal: AbortSignal;
  stopListening(): void;
}

/**
 * Ctrl-C pauses the run when the stages that are running have ended, a second one cancels it, a third one ends the
 * process at once. SIGTERM, by which others than people end processes, stops the stages and pauses the run.
 */
function listenForInterruption(io: Io, tell: (text: string) => void): Interruption {
  const pausing = new AbortController();
  const cancelling = new AbortController();
  const onInterrupt = (): void => {
    if (cancelling.signal.aborted) process.exit(exitCode.interrupted);
    if (pausing.signal.aborted) {
      tell('cancelling the run; Ctrl-C again ends this process at once');
      cancelling.abort();
    } else {
      tell('pausing when what is running has ended; Ctrl-C again cancels the run');
      pausing.abort({ mode: 'after_stage', reason: 'interrupted' });
    }
  };
  const onTermination = (): void => {
    if (pausing.signal.aborted) process.exit(exitCode.interrupted);
    pausing.abort({ mode: 'now', reason: 'interrupted' });
  };
  io.on('SIGINT', onInterrupt);
  io.on('SIGTERM', onTermination);
  return {
    pauseSignal: pausing.signal,
    cancelSignal: cancelling.signal,
    stopListening() {
      io.off('SIGINT', onInterrupt);
      io.off('SIGTERM', onTermination);
    },
  };
}

/** Says why a pipeline does not run (SEMANTICS 93). */
export async function reportInvalid(
  source: SourceText,
  diagnostics: readonly Diagnostic[],
  options: Pick<CommonArguments, 'json' | 'events'>,
  io: Io,
): Promise<number> {
  if (options.json || options.events) {
    const { diagnosticToJson } = await import('../diagnostic/render-json.js');
    const found = diagnostics.map((diagnostic) => diagnosticToJson(diagnostic, source));
    const result = { status: 'invalid', diagnostics: found };
    io.stdout.write(
      options.events
        ? `${JSON.stringify({ type: 'RunResult', ...result })}\n`
        : `${JSON.stringify(result, null, 2)}\n`,
    );
  } else {
    await reportDiagnostics([{ source, diagnostics }], io);
  }
  return exitCode.failure;
}

function printResult(result: RunResult, options: CommonArguments, io: Io): void {
  if (options.events) io.stdout.write(`${JSON.stringify({ type: 'RunResult', ...result })}\n`);
  else if (options.json) io.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}

/** Relative where that is shorter to read: below the current directory. */
function displayPath(directory: string, cwd: string): string {
  const relative = path.relative(cwd, directory);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? directory : relative;
}
