import path from 'node:path';
import { printableLines } from '../diagnostic/printable.js';
import type { SourceText } from '../diagnostic/source.js';
import { graphAttribute } from '../graph/attributes.js';
import type { Program } from '../graph/program.js';
import type { RunEvent } from '../machine/event.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import { firstOf } from '../run/questions/first-of.js';
import { absentInterviewer } from '../run/questions/interviewer.js';
import type { CommonRunOptions, InvalidPipeline } from '../run/run.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import type { BackendPlan } from '../setup/backend-plan.js';
import type { Keys } from '../setup/keys.js';
import type { PluggedIn } from '../setup/plug-in.js';
import { describeFinding, type Finding } from '../setup/preflight/finding.js';
import { startTracing } from '../telemetry/start-tracing.js';
import type { RunResult } from '../view/run-result.js';
import { exitCode, exitCodeOfStatus } from './exit-code.js';
import { ioWithoutCommands, isGithubActions } from './github-actions/actions-io.js';
import type { ActionsRun } from './github-actions/actions-run.js';
import type { Interruption } from './interruption.js';
import { type Io, usesColor } from './io.js';
import { terminalJson } from './output/terminal-json.js';
import type { Progress } from './progress/progress.js';
import { redactingIo } from './redacting-io.js';
import { reportInvalid } from './report-refused.js';
import type { CommonArguments } from './run-arguments.js';
import { runName } from './run-name.js';
import { DetachedOutput } from './runs/detached-output.js';
import type { TerminalSession } from './terminal-session.js';
import { fixStatus, UncaughtError } from './uncaught-error.js';

/** A new run, or one to resume, as a command requests it. */
export interface RunRequest {
  readonly program: Program;
  readonly source: SourceText;
  /** Settings that the call gives. */
  readonly settings: RecordedSettings;
  readonly extensions: ChosenExtensions;
  /** Keys for the backends of LLM stages. */
  readonly keys: Keys;
  readonly plan: BackendPlan;
  /** Findings that do not keep the run from starting. */
  readonly findings: readonly Finding[];
  /** Directory in which the run was started. */
  readonly workingDirectory: string;
  /** True if no person may be asked. */
  readonly isUnattended: boolean;
  readonly interruption: Interruption;
  /** Said when the run begins. */
  readonly notes: readonly string[];
  /** File with the text of `source`; undefined if there is none. */
  readonly sourcePath: string | undefined;
  /** Directory of the run with this id. */
  readonly directoryOf: (runId: string) => string;
  readonly start: (options: CommonRunOptions) => Promise<RunResult | InvalidPipeline>;
}

/** Runs with progress, questions and signals, and prints what was asked for. @returns the exit status */
export async function executeRun(request: RunRequest, options: CommonArguments, callIo: Io): Promise<number> {
  const background = options.detached ? new DetachedOutput(callIo) : undefined;
  const plainIo = background?.io ?? callIo;
  const { redactor } = request.keys;
  const inActions = isGithubActions(plainIo);
  const isJson = options.json === true || options.events === true;
  const io = redactingIo(inActions ? ioWithoutCommands(plainIo, isJson) : plainIo, redactor);
  const { plugIn } = await import('../setup/plug-in.js');
  const { TerminalSession } = await import('./terminal-session.js');
  const desk = new TerminalSession(io.stdin, options.json || options.events ? io.stderr : io.stdout);
  const { interruption } = request;
  const extensions = background === undefined ? request.extensions : waiting(request.extensions);
  const plugged = await plugIn({ ...request, extensions }, desk.console);
  const { interviewer = absentInterviewer } = plugged.options;
  const actions = inActions
    ? await openActions(request, options, redactingIo(plainIo, redactor), desk)
    : undefined;
  const shown = await startProgress(request, options, io, desk, actions);
  const { progress } = shown;
  const { backendSummary, defaultBudgetRemark } = await import('./backend-summary.js');
  const models = backendSummary(request.plan);
  const notes = [...extensions.notices, ...request.notes, ...request.findings.map(describeFinding)];
  // The command says more of what the engine says too.
  const isSaid = (message: string) => request.notes.some((note) => note.startsWith(message));
  let isOver = false;
  const tracing = await startTracing(request.keys.variables, redactor, (problem) => {
    if (isOver) tellAside(problem, io);
    else progress.note(problem);
  });
  const traces = tracing?.ofRun(request.program);
  try {
    checkNothingStray(request);
    interruption.begin((text) => progress.note(text));
    const result = await request.start({
      ...plugged.options,
      secrets: redactor,
      // One that gives answers which fit no choice is asked again.
      interviewer: firstOf(interviewer),
      pauseSignal: interruption.pauseSignal,
      signal: interruption.cancelSignal,
      onNotice: (message) => {
        if (!isSaid(message)) progress.note(message);
      },
      onEvent: (event) => {
        for (const note of notes.splice(0)) progress.note(note);
        traces?.onEvent(event);
        progress.onEvent(event);
        background?.began({ run_id: event.run_id, run_dir: request.directoryOf(event.run_id) });
        if (models !== undefined && isBeginning(event)) progress.remark(`models: ${models}`);
        const budget = defaultBudgetRemark(event, request, options);
        if (budget !== undefined) progress.remark(budget);
        if (options.events) io.stdout.write(`${terminalJson(event)}\n`);
      },
      onText: (text) => progress.onText(text),
      onChildEvent: (event, origin) => {
        traces?.onChildEvent(event, origin);
        progress.onChildEvent(event, origin);
      },
      variables: request.keys.variables,
      ...request.settings,
    });
    if (result.status === 'invalid') {
      return await reportInvalid(request.source, result.diagnostics, options, io);
    }
    const run = runName(result.run_dir, io.cwd());
    const directory = displayPath(result.run_dir, io.cwd());
    const remote = graphAttribute(request.program.graph, 'git_remote');
    progress.finish(result, { directory, run, remote });
    const problem = actions?.finish(result, directory);
    if (problem !== undefined) progress.note(problem);
    printResult(result, options, io);
    const status = exitCodeOf(result, request, run);
    fixStatus(plainIo, status);
    return status;
  } finally {
    isOver = true;
    interruption.end();
    shown.close();
    desk.close();
    traces?.stop();
    await Promise.all([closeAll(plugged, io), tracing?.close()]);
  }
}

/** Nobody sits at the terminal of a run in the background, but questions can be answered from elsewhere. */
function waiting(extensions: ChosenExtensions): ChosenExtensions {
  return { ...extensions, interviewer: extensions.interviewer ?? 'wait' };
}

/** True for the events that a person expects at the beginning. */
function isBeginning({ type }: RunEvent): boolean {
  return type === 'PipelineStarted' || type === 'PipelineResumed';
}

/** Reports a problem that does not concern the run itself. */
function tellAside(problem: string, io: Io): void {
  io.stderr.write(`attractor: ${printableLines(problem)}\n`);
}

/** A plugin that never says that it is closed must not take the exit status with it. */
async function closeAll(plugged: PluggedIn, io: Io): Promise<void> {
  const tell = (problem: string): void => tellAside(problem, io);
  let onIdle: () => void = () => undefined;
  const idle = new Promise<void>((resolve) => {
    onIdle = () => {
      tell('the interviewer or the backend did not finish closing, and nothing is left to wait for');
      resolve();
    };
    io.on('beforeExit', onIdle);
  });
  await Promise.race([plugged.close(tell), idle]);
  io.off('beforeExit', onIdle);
}

/**
 * Reports an error of a plugin during its preparation: nothing has begun yet.
 * @throws UncaughtError
 */
function checkNothingStray({ interruption, extensions }: RunRequest): void {
  const { cause, beforehand: advice } = interruption;
  if (cause?.kind !== 'stray') return;
  throw new UncaughtError(cause.thrown, {
    plugins: pluginsOf(extensions),
    advice,
    exitStatus: exitCode.failure,
  });
}

/**
 * Exit status of a run; after a pause it depends on the cause.
 * @throws UncaughtError
 */
function exitCodeOf(result: RunResult, { interruption, extensions }: RunRequest, run: string): number {
  const { cause } = interruption;
  const status = exitCodeOfStatus(result.status);
  const isPaused = result.status === 'paused';
  switch (cause?.kind) {
    case undefined:
      return status;
    case 'signal':
      return isPaused ? exitCode.interrupted : status;
    case 'stalled':
      return isPaused ? exitCode.failure : status;
    case 'stray':
      throw new UncaughtError(cause.thrown, {
        plugins: pluginsOf(extensions),
        advice: isPaused
          ? `the run was stopped; finished stages are kept. Resume with: attractor resume ${run}`
          : 'the run ended before it could be stopped',
        exitStatus: isPaused ? exitCode.failure : status,
      });
  }
}

function pluginsOf({ record }: ChosenExtensions): readonly string[] {
  return (record?.plugins ?? []).map(({ module }) => module);
}

/** What a run prints for the runner of GitHub Actions. @param io whose output may have commands */
async function openActions(
  { program, source, sourcePath }: RunRequest,
  options: CommonArguments,
  io: Io,
  desk: TerminalSession,
): Promise<ActionsRun> {
  const { ActionsRun } = await import('./github-actions/actions-run.js');
  const stream = options.json || options.events ? io.stderr : io.stdout;
  return new ActionsRun({
    program,
    source,
    sourcePath,
    io,
    isVerbose: options.verbose === true,
    print: (text) => desk.write(`${text}\n`),
    command: (text) => void stream.write(`${text}\n`),
    displayPath: (file) => displayPath(file, io.cwd()),
  });
}

/** Progress of a run on a screen; `close` leaves the screen as it was. */
interface Shown {
  readonly progress: Progress;
  close(): void;
}

async function startProgress(
  request: RunRequest,
  options: CommonArguments,
  io: Io,
  desk: TerminalSession,
  actions: ActionsRun | undefined,
): Promise<Shown> {
  const { createProgress } = await import('./progress/progress.js');
  const { stream } = desk;
  // Events on the same terminal would be written into the region.
  const isShared = options.events === true && io.stdout.isTTY === true;
  const isLive = stream.isTTY === true && io.env.TERM !== 'dumb' && io.env.CI === undefined && !isShared;
  const progress = createProgress(request.program, desk, {
    color: usesColor(io, stream),
    isLive,
    // In groups, it is the output as a whole that `--verbose` shows.
    isVerbose: options.verbose && actions === undefined,
    showStage: actions && ((...ended) => actions.showStage(...ended)),
    directoryOf: request.directoryOf,
    displayPath: (file) => displayPath(file, io.cwd()),
    isAsking: () => desk.console.isAsking,
  });
  if (!isLive) return { progress, close: () => progress.stop() };
  const { LiveRegion } = await import('./progress/live-region.js');
  const region = new LiveRegion(stream, {
    lines: (size) => progress.liveLines(size),
    mayDraw: () => !desk.console.isAsking,
  });
  desk.shareWith(region);
  region.start();
  // The process may be ended at once by a third Ctrl-C.
  const leave = (): void => region.stop();
  io.on('exit', leave);
  return {
    progress,
    close: () => {
      progress.stop();
      region.stop();
      io.off('exit', leave);
    },
  };
}

function printResult(result: RunResult, options: CommonArguments, io: Io): void {
  if (options.events) io.stdout.write(`${terminalJson({ type: 'RunResult', ...result })}\n`);
  else if (options.json) io.stdout.write(`${terminalJson(result, 2)}\n`);
}

/** Relative where that is shorter to read: below the current directory. */
function displayPath(directory: string, cwd: string): string {
  const relative = path.relative(cwd, directory);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? directory : relative;
}
