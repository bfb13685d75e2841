import path from 'node:path';
import type { Program, ProgramNode } from '../graph/program.js';
import type { ShouldRetry } from '../handlers/error-category.js';
import type { Handler } from '../handlers/handler.js';
import { builtInHandlers } from '../handlers/index.js';
import type { RunEvent } from '../machine/event.js';
import type { InputBody } from '../machine/input.js';
import type { RunState } from '../machine/state.js';
import { ArtifactStore } from '../run-directory/artifact-store.js';
import { boundedText } from '../run-directory/bounded-text.js';
import type { FileSystem } from '../run-directory/file-system.js';
import { watchRequests } from '../run-directory/run-requests.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import { noRedactor, type Redactor } from '../secrets/redactor.js';
import { type RunResult, resultOf } from '../view/run-result.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { BudgetAbove } from './driver/budget-above.js';
import { type Clock, systemClock } from './driver/clock.js';
import { Driver } from './driver/driver.js';
import type { StartChild, TellPast } from './driver/driver-ports.js';
import { externalizeInputs } from './driver/externalize.js';
import type { PauseRequest } from './pause-request.js';
import { buildPreamble } from './preamble/preamble.js';
import { preambleMaterial } from './preamble/preamble-material.js';
import type { RunHistory } from './preamble/run-history.js';
import type { Interviewer } from './questions/interviewer.js';
import type { Outside } from './recording/outside.js';
import { openRunDirectory } from './run-directory.js';
import { scriptedHandler, simulatedHandler } from './simulate/simulated-handlers.js';

/** What a process brings to a run, whether it starts or resumes it. */
export interface RunEnvironment {
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly interviewer: Interviewer;
  readonly clock: Clock;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Told what a person should know before the run goes on. */
  readonly onNotice?: ((message: string) => void) | undefined;
  /** What a person should know of how the run goes on, told and kept in the log. */
  readonly remark?: string | undefined;
  /** What could not be kept of the inputs as it was (SEMANTICS 66a). */
  readonly losses?: readonly string[] | undefined;
  /** Aborting it cancels the run. */
  readonly signal?: AbortSignal | undefined;
  /** Aborting it stops the run so that it can be resumed. */
  readonly pauseSignal?: AbortSignal | undefined;
  /** Aborting it stops the run at once, whatever `pauseSignal` has said, so that it can be resumed. */
  readonly stopSignal?: AbortSignal | undefined;
  /** Where stages work in a run that keeps their files. */
  readonly workspace?: Workspace | undefined;
  /** How stages reach models, agents and tools, where that is written down or played back. */
  readonly outside?: Pick<Outside, 'open' | 'close'> | undefined;
  /** Runs other pipelines for stages. */
  readonly startChild?: StartChild | undefined;
  /** Of a child run: what the runs above it leave it to spend. */
  readonly budgetAbove?: BudgetAbove | undefined;
  /** Whether a value that is missing fails the stage (SEMANTICS §12). */
  readonly strictValues?: boolean | undefined;
  /** Asked before the default predicate whether an error may pass (§3.6). */
  readonly shouldRetry?: ShouldRetry | undefined;
  /** Words of their own for outcomes count as successes, and conditions see them (SEMANTICS 44g). */
  readonly customOutcomes?: boolean | undefined;
  /** Where the run directory is; by default the file system of this machine. */
  readonly fileSystem?: FileSystem | undefined;
  /** What keeps secrets out of all that is written, told and shown (DESIGN §4); without one, nothing does. */
  readonly redactor?: Redactor | undefined;
}

/** A run that is ready to be driven from some state. */
export interface RunSession {
  readonly program: Program;
  readonly directory: string;
  readonly state: RunState;
  /** What the journal says of the past; undefined where no stage is told of it. */
  readonly history: RunHistory | undefined;
  /** Where the journal's last whole line ends. */
  readonly journalSize: number;
  readonly graphHash: string;
  readonly workingDirectory: string;
  readonly simulate: boolean;
  readonly script: SimulationScript;
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
  const { clock, interviewer, onEvent, fileSystem } = environment;
  // A simulation runs no code of others; but whoever steers a child run writes to its stages.
  const isAlone = session.simulate && environment.budgetAbove === undefined;
  const store = openRunDirectory(session.directory, session.journalSize, fileSystem, isAlone);
  const artifacts = new ArtifactStore({
    directory: path.join(session.directory, 'artifacts'),
    fileSystem,
    now: () => clock.now(),
    redactor: environment.redactor,
  });
  try {
    environment.outside?.open();
    const driver = new Driver(session.program, session.state, {
      store,
      clock,
      interviewer,
      handlerOf: (node, execution) => handlerOf(session, environment, node, execution),
      onEvent,
      artifacts,
      history: session.history,
      preamble: preambleOf(session),
      policy: { shouldRetry: environment.shouldRetry, customOutcomes: environment.customOutcomes },
      redactor: environment.redactor,
      strictValues: environment.strictValues ?? false,
      startChild: environment.startChild,
      budgetAbove: environment.budgetAbove,
      sharesFlushes: clock === systemClock,
      workingDirectory: session.workingDirectory,
      workspace: environment.workspace,
      graphHash: session.graphHash,
    });
    const first = withSmallInputs(input, session.state.seq, artifacts);
    const stopListening = listen(driver, session.directory, environment);
    const asked = [...remarked(environment), ...lossesOf(environment), ...askedBefore(environment)];
    const { redactor = noRedactor } = environment;
    const state = await driver.run(first, redactor.json(asked)).finally(stopListening);
    await environment.workspace?.close(state, (message) => environment.onNotice?.(message));
    const result = resultOf(state, path.resolve(session.directory), clock.now());
    store.writeResult(result);
    return result;
  } finally {
    environment.outside?.close();
    artifacts.close();
    store.close();
  }
}

function preambleOf({ program, history }: RunSession): TellPast | undefined {
  if (history === undefined) return undefined;
  return (mode, state, effect) => buildPreamble(mode, preambleMaterial(program, state, history, effect));
}

function remarked({ remark, onNotice }: RunEnvironment): readonly InputBody[] {
  if (remark === undefined) return [];
  onNotice?.(remark);
  return [{ kind: 'log', level: 'info', message: remark }];
}

function lossesOf({ losses = [] }: RunEnvironment): readonly InputBody[] {
  return losses.map((message) => ({ kind: 'log', level: 'warning', message: boundedText(message) }));
}

/** Inputs that would make an event too large are on the disk before it names them (DESIGN §2). */
function withSmallInputs(input: InputBody, seq: number, artifacts: ArtifactStore): InputBody {
  if ((input.kind !== 'start' && input.kind !== 'resume') || input.inputs === undefined) return input;
  // Whoever resumes may give them anew; what an earlier event names stays as it was.
  const inputs = externalizeInputs(input.inputs, `inputs.${seq}`, artifacts);
  if (inputs === input.inputs) return input;
  artifacts.sync();
  return { ...input, inputs };
}

/** Lets the caller's signals, and what other processes ask for, reach the run. */
function listen(driver: Driver, directory: string, environment: RunEnvironment): () => void {
  const { signal, pauseSignal, stopSignal, redactor = noRedactor } = environment;
  const ask = (input: InputBody): void => driver.dispatch(redactor.json(input));
  const stopWatching = watchRequests(directory, ask);
  const cancel = (): void => ask({ kind: 'cancel' });
  const pause = (): void => ask({ kind: 'pause', ...pauseRequestOf(pauseSignal?.reason) });
  const stop = (): void => ask(stopRequestOf(stopSignal?.reason));
  signal?.addEventListener('abort', cancel, { once: true });
  stopSignal?.addEventListener('abort', stop, { once: true });
  pauseSignal?.addEventListener('abort', pause, { once: true });
  return () => {
    stopWatching();
    signal?.removeEventListener('abort', cancel);
    stopSignal?.removeEventListener('abort', stop);
    pauseSignal?.removeEventListener('abort', pause);
  };
}

/** What the caller's signals said before the run could hear it. */
function askedBefore({ signal, pauseSignal, stopSignal }: RunEnvironment): readonly InputBody[] {
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
  [...builtInHandlers(undefined)].map(([type, handler]) => [type, { ...handler, isPretence: true }]),
);

/**
 * The script goes first; under `simulate` everything else that would do real work is simulated, but gates still ask and
 * LLM stages still keep their prompt (DESIGN §5).
 */
function handlerOf(
  { script, simulate }: RunSession,
  { handlers }: RunEnvironment,
  node: ProgramNode,
  execution: number,
): Handler {
  const entries = script.nodes.get(node.id);
  if (entries !== undefined) return scriptedHandler(entries, execution);
  const { type, runsSimulated } = node.handler;
  if (simulate && !runsSimulated) return simulatedHandler;
  const handler = (simulate ? pretending : handlers).get(type);
  if (handler === undefined) throw new Error(`no handler for "${type}", although the run was checked`);
  return handler;
}
