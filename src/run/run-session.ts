import path from 'node:path';
import { onAbort } from '../abort/abort.js';
import type { Program, ProgramNode } from '../graph/program.js';
import { messageOf } from '../handlers/error-category.js';
import type { Handler } from '../handlers/handler.js';
import { builtInHandlers } from '../handlers/index.js';
import type { JournalEnd } from '../journal/journal.js';
import type { InputBody } from '../machine/input.js';
import type { RunState } from '../machine/state.js';
import { ArtifactStore } from '../run-directory/artifact-store.js';
import { boundedText } from '../run-directory/bounded-text.js';
import { nodeFileSystem } from '../run-directory/file-system.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { runFiles } from '../run-directory/run-files.js';
import { watchRequests } from '../run-directory/run-requests.js';
import { noRedactor, type Redactor } from '../secrets/redactor.js';
import { type RunResult, resultOf } from '../view/run-result.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { BudgetAbove } from './driver/budget-above.js';
import { type Clock, systemClock } from './driver/clock.js';
import { Driver } from './driver/driver.js';
import type { StartChild, TellPast } from './driver/driver-ports.js';
import { externalizeInputs } from './driver/externalize.js';
import { forgetTools } from './end-left-tools.js';
import type { PauseRequest } from './pause-request.js';
import { buildPreamble } from './preamble/preamble.js';
import { preambleMaterial } from './preamble/preamble-material.js';
import type { RunHistory } from './preamble/run-history.js';
import type { Interviewer } from './questions/interviewer.js';
import { clearQuestions } from './questions/question-files.js';
import type { RunQuestions } from './questions/run-questions.js';
import type { IoBoundary } from './recording/io-boundary.js';
import { openRunDirectory } from './run-directory.js';
import type { RunPorts } from './run-options.js';
import { scriptedHandler, simulatedHandler } from './simulate/simulated-handlers.js';

/** The connections of a run with the world, whether it begins or is resumed. */
export interface RunEnvironment {
  readonly ports: Pick<
    RunPorts,
    'onEvent' | 'onNotice' | 'signal' | 'pauseSignal' | 'shouldRetry' | 'fileSystem'
  > & {
    readonly clock: Clock;
    readonly interviewer: Interviewer;
    /** Keeps secrets out of all that is written, told and shown (DESIGN §4); without one, nothing does. */
    readonly secrets?: Redactor;
  };
  readonly handlers: ReadonlyMap<string, Handler>;
  /** Said when the run begins or continues, and kept in the log. */
  readonly startNotice?: string;
  /** Written into the log as warnings, such as what could not be kept of the inputs as it was (SEMANTICS 66a). */
  readonly startWarnings?: readonly string[];
  /** Aborting it stops the run at once, whatever `pauseSignal` has said, so that it can be resumed. */
  readonly stopSignal?: AbortSignal;
  /** Ways of answers from elsewhere; undefined where a recording answers. */
  readonly questions?: RunQuestions;
  /** Where stages work in a run that keeps their files. */
  readonly workspace?: Workspace;
  /** Stands between stages and models, agents and tools where that is recorded or played back. */
  readonly ioBoundary?: Pick<IoBoundary, 'open' | 'close'>;
  /** Runs other pipelines for stages. */
  readonly startChild?: StartChild;
  /** The budget that the runs above a child leave it. */
  readonly budgetAbove?: BudgetAbove;
}

/** A run that is ready to be driven from some state. */
export interface RunSession {
  readonly program: Program;
  readonly directory: string;
  readonly state: RunState;
  /** What the journal says of the past; undefined where no stage is told of it. */
  readonly history: RunHistory | undefined;
  /** Where the journal's last whole line ends. */
  readonly journalEnd: JournalEnd;
  readonly graphHash: string;
  readonly workingDirectory: string;
  readonly settings: RecordedSettings;
}

/**
 * Drives a run until it ends or pauses, and leaves its result behind.
 * @throws RunError `storage`, or `usage` for inputs that nothing can hold
 */
export async function driveRun(
  session: RunSession,
  environment: RunEnvironment,
  input: InputBody,
): Promise<RunResult> {
  const { program, directory, settings, history, workingDirectory } = session;
  const { ports, workspace, ioBoundary, budgetAbove, startChild } = environment;
  const { clock, interviewer, onEvent, onNotice, fileSystem, shouldRetry, secrets } = ports;
  // A simulation runs no code of others; but whoever steers a child run writes to its stages.
  const isAlone = settings.simulate === true && budgetAbove === undefined;
  const store = openRunDirectory(directory, session.journalEnd, fileSystem, isAlone);
  const artifacts = new ArtifactStore({
    directory: path.join(directory, 'artifacts'),
    fileSystem,
    now: () => clock.now(),
    redactor: secrets,
  });
  try {
    ioBoundary?.open();
    const driver = new Driver(program, session.state, {
      settings,
      store,
      clock,
      interviewer,
      questions: environment.questions,
      handlerOf: (node, execution) => handlerOf(session, environment, node, execution),
      onEvent,
      artifacts,
      history,
      preamble: preambleOf(session),
      shouldRetry,
      redactor: secrets,
      startChild,
      budgetAbove,
      sharesFlushes: clock === systemClock,
      workingDirectory,
      workspace,
      graphHash: session.graphHash,
    });
    const first = withSmallInputs(input, session.state.seq, artifacts);
    const stopListening = listen(driver, directory, settings, environment);
    const early = [...startLog(environment), ...earlySignals(environment)];
    const state = await driver.run(first, (secrets ?? noRedactor).json(early)).finally(stopListening);
    await workspace?.close(state, (message) => onNotice?.(message));
    const result = resultOf(state, path.resolve(directory), clock.now());
    store.writeResult(result);
    if (settings.simulate !== true) forgetTools(directory, state, fileSystem);
    if (state.status !== 'paused') forgetQuestions(directory, environment);
    return result;
  } finally {
    ioBoundary?.close();
    artifacts.close();
    store.close();
  }
}

function preambleOf({ program, history }: RunSession): TellPast | undefined {
  if (history === undefined) return undefined;
  return (mode, state, effect) => buildPreamble(mode, preambleMaterial(program, state, history, effect));
}

/** Log entries that come before everything else. */
function startLog({ startNotice, startWarnings = [], ports }: RunEnvironment): readonly InputBody[] {
  const warnings = startWarnings.map(
    (message): InputBody => ({ kind: 'log', level: 'warning', message: boundedText(message) }),
  );
  if (startNotice === undefined) return warnings;
  ports.onNotice?.(startNotice);
  return [{ kind: 'log', level: 'info', message: startNotice }, ...warnings];
}

/** Inputs that would make an event too large are on the disk before it names them (DESIGN §2). */
function withSmallInputs(input: InputBody, seq: number, artifacts: ArtifactStore): InputBody {
  if ((input.kind !== 'start' && input.kind !== 'resume') || input.inputs === undefined) return input;
  // Whoever resumes may give them again; what an earlier event names stays as it was.
  const inputs = externalizeInputs(input.inputs, `inputs.${seq}`, artifacts);
  if (inputs === input.inputs) return input;
  artifacts.sync();
  return { ...input, inputs };
}

/** Lets the caller's signals, and what other processes ask for, reach the run. */
function listen(
  driver: Driver,
  directory: string,
  settings: RecordedSettings,
  { ports, stopSignal, questions }: RunEnvironment,
): () => void {
  const { signal, pauseSignal, fileSystem, secrets: redactor = noRedactor } = ports;
  const ask = (input: InputBody): void => driver.dispatch(redactor.json(input));
  const stopWatching = watchRequests(directory, ask);
  const cancel = (): void => ask({ kind: 'cancel' });
  const pause = (): void => ask({ kind: 'pause', ...pauseRequestOf(pauseSignal?.reason) });
  const stop = (): void => ask(stopRequestOf(stopSignal?.reason));
  const releases = [
    onLaterAbort(signal, cancel),
    onLaterAbort(stopSignal, stop),
    onLaterAbort(pauseSignal, pause),
    questions?.connect(driver.questions),
    // A simulation asks nobody; and what keeps its files elsewhere has no directory that others could look into.
    settings.simulate === true || fileSystem !== nodeFileSystem
      ? undefined
      : questions?.watchFiles(path.join(directory, runFiles.questions)),
  ];
  return () => {
    stopWatching();
    for (const release of releases) release?.();
  };
}

/** The run is over: nothing is asked any more. Notes for those who have answered in vain stay. */
function forgetQuestions(directory: string, { ports, budgetAbove }: RunEnvironment): void {
  if (ports.fileSystem !== nodeFileSystem || budgetAbove !== undefined) return;
  try {
    clearQuestions(path.join(directory, runFiles.questions), 'the run is over; nothing is asked any more');
  } catch (error) {
    ports.onNotice?.(`the questions of the run could not be removed: ${messageOf(error)}`);
  }
}

/** What was aborted before is among the first inputs (`earlySignals`). */
function onLaterAbort(signal: AbortSignal | undefined, action: () => void): () => void {
  return onAbort(signal?.aborted ? undefined : signal, action);
}

/** Requests of signals that were aborted before the run could listen. */
function earlySignals({ ports, stopSignal }: RunEnvironment): readonly InputBody[] {
  const { signal, pauseSignal } = ports;
  if (signal?.aborted) return [{ kind: 'cancel' }];
  if (stopSignal?.aborted) return [stopRequestOf(stopSignal.reason)];
  return pauseSignal?.aborted ? [{ kind: 'pause', ...pauseRequestOf(pauseSignal.reason) }] : [];
}

function stopRequestOf(reason: unknown): InputBody {
  return { kind: 'pause', ...pauseRequestOf(reason), mode: 'now' };
}

function pauseRequestOf(reason: unknown): PauseRequest {
  const { mode, reason: text } = (
    typeof reason === 'object' && reason !== null ? reason : {}
  ) as Partial<PauseRequest>;
  return {
    reason: typeof text === 'string' ? text : 'interrupted',
    mode: mode === 'now' ? 'now' : 'after_stage',
  };
}

/** Under `simulate` neither a backend nor a handler of the embedding program does any work. */
const pretending: ReadonlyMap<string, Handler> = new Map(
  [...builtInHandlers(undefined)].map(([type, handler]) => [type, { ...handler, isSimulated: true }]),
);

/**
 * The script goes first; under `simulate` everything else that would do real work is simulated, but gates still ask and
 * LLM stages still keep their prompt (DESIGN §5).
 */
function handlerOf(
  { settings: { script, simulate = false } }: RunSession,
  { handlers }: RunEnvironment,
  node: ProgramNode,
  execution: number,
): Handler {
  const entries = script?.nodes.get(node.id);
  if (entries !== undefined) return scriptedHandler(entries, execution);
  const { type, runsSimulated } = node.handler;
  if (simulate && !runsSimulated) return simulatedHandler;
  const handler = (simulate ? pretending : handlers).get(type);
  if (handler === undefined) throw new Error(`no handler for "${type}", although the run was checked`);
  return handler;
}
