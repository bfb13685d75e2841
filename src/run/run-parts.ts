import path from 'node:path';
import { type Compilation, compile } from '../compiler/compile.js';
import type { Program } from '../graph/program.js';
import { unsupportedFeatures } from '../graph/unsupported-features.js';
import { withHandlerTypes } from '../graph/with-handler-types.js';
import type { Handler } from '../handlers/handler.js';
import { redactingBackend } from '../handlers/redacting-backend.js';
import { toolHandler } from '../handlers/tool.js';
import { readJournal } from '../journal/journal.js';
import type { RunEvent } from '../machine/event.js';
import type { RunState } from '../machine/state.js';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { runFiles } from '../run-directory/run-files.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import type { Redactor } from '../secrets/redactor.js';
import { checkOptions } from './check-options.js';
import { type Clock, systemClock } from './driver/clock.js';
import { HandlerRegistry } from './driver/handler-registry.js';
import { runRedactor } from './driver/run-redactor.js';
import type { Means } from './means.js';
import { approvingInterviewer, simulatedInterviewer } from './questions/auto-approve.js';
import { absentInterviewer, type Interviewer } from './questions/interviewer.js';
import { scriptedInterviewer } from './questions/scripted-interviewer.js';
import { type RunInputs, readInputs } from './read-inputs.js';
import { type Outside, recordedOutside, replayedOutside } from './recording/outside.js';
import { Replay } from './recording/replay.js';
import type { ReplaySource } from './recording/replay-source.js';
import { redactedInputs } from './redacted-inputs.js';
import { newRunId } from './run-id.js';
import type { CommonRunOptions, InvalidPipeline, RunOptions } from './run-options.js';
import type { RunEnvironment } from './run-session.js';
import { virtualClock } from './simulate/virtual-clock.js';

// The parts of a run, each as the caller's options want it; `run.ts` puts them together.

/** Compiles a text with what the options bring to the language. */
export function compileWith(
  text: string,
  options: CommonRunOptions & { readonly sourcePath?: string },
): Compilation {
  checkOptions(options);
  return compile(text, {
    ...(options.sourcePath !== undefined && { name: options.sourcePath }),
    ...(options.transforms && { transforms: options.transforms }),
    ...(options.rules && { rules: options.rules }),
    ...(options.handlers && { handlerTypes: options.handlers.types }),
    ...(options.ruleSettings && { ruleSettings: options.ruleSettings }),
  });
}

/** The handlers that the options bring. @param outside what is between them and the world */
export function handlersOf(
  { handlers = new HandlerRegistry(), backend: given, secrets }: CommonRunOptions,
  outside?: Outside,
): ReadonlyMap<string, Handler> {
  const backend = given && redactingBackend(given, runRedactor(secrets));
  return outside === undefined ? handlers.handlers(backend) : outside.handlers(handlers, backend);
}

/** The same options with the redactor of the run, which its children share. */
export function withRedactor<Options extends CommonRunOptions>(
  options: Options,
): Options & { readonly secrets: Redactor } {
  return { ...options, secrets: runRedactor(options.secrets, options.backend?.knownSecrets) };
}

/** What of a pipeline is executed, and by whom. */
export interface Runnable {
  readonly program: Program;
  readonly handlers: ReadonlyMap<string, Handler>;
}

/** A pipeline with errors does not run (§7.1), nor does one with a stage that nothing can execute. */
export function prepare(compilation: Compilation, options: CommonRunOptions): Runnable | InvalidPipeline {
  const { program, diagnostics } = compilation;
  if (program === undefined) return { status: 'invalid', diagnostics };
  const registry = options.handlers ?? new HandlerRegistry();
  const resolved = withHandlerTypes(program, registry.types);
  const handlers = handlersOf(options);
  const unsupported = unsupportedFeatures(resolved, handlers);
  return unsupported.length > 0
    ? { status: 'invalid', diagnostics: unsupported }
    : { program: resolved, handlers };
}

/** What a new run or one that goes on is called, and where it is. */
interface Place extends NewPlace {
  readonly workingDirectory: string;
  readonly clock: Clock;
}

/** What plays a run back, where one is. */
export function replayIn(
  source: ReplaySource | undefined,
  options: CommonRunOptions,
  place: Omit<Place, 'clock'>,
): Replay | undefined {
  if (source === undefined) return undefined;
  const { directory, workingDirectory } = place;
  const { fileSystem = nodeFileSystem } = options;
  const redact = runRedactor(options.secrets).text;
  return new Replay({ ...source, directory, workingDirectory, fileSystem, redact });
}

/** The same for a run that goes on: what came to its outcome before is not waited for. */
export function replayAgain(
  source: ReplaySource | undefined,
  options: CommonRunOptions,
  place: Omit<Place, 'clock'>,
): Replay | undefined {
  const replay = replayIn(source, options, place);
  const { fileSystem = nodeFileSystem } = options;
  const journal = path.join(place.directory, runFiles.journal);
  if (replay === undefined || !fileSystem.exists(journal)) return replay;
  for (const event of readJournal(journal, fileSystem).events) replay.note(event);
  return replay;
}

/** What is between the stages and the world: nothing, a recorder, or a recording that is played back. */
export function outsideOf(
  options: CommonRunOptions,
  replay: Replay | undefined,
  place: Place,
): Outside | undefined {
  if (replay !== undefined)
    return replayedOutside(replay, replay.recorded.manifest.options.has_backend === true);
  if (options.record !== true) return undefined;
  const { fileSystem = nodeFileSystem } = options;
  return recordedOutside({ ...place, fileSystem, redact: runRedactor(options.secrets).text });
}

/** How many tools this process may have to run at a time: none, one, or several. */
export function toolsAtOnce({ program, handlers }: Runnable): number {
  if (handlers.get('tool') !== toolHandler) return 0;
  const types = [...program.nodes.values()].map(({ handler }) => handler);
  const tools = types.filter(({ type }) => type === 'tool').length;
  return types.some(({ forks }) => forks) ? tools : Math.min(tools, 1);
}

/** What this process has for the stages, to be compared with what the run had before. */
export function meansOf({ backend, handlers }: CommonRunOptions, simulate: boolean): Means {
  const types = handlers?.types.map((entry) => (typeof entry === 'string' ? entry : entry.type));
  return { hasBackend: backend !== undefined && !simulate, handlerTypes: new Set(types) };
}

/** What the options hand to a run as they are. @param replay which hears of it, and pauses where the recorded run did */
export function environmentOf(options: CommonRunOptions, replay: Replay | undefined) {
  const { onNotice, signal, fileSystem } = options;
  const onEvent = replay === undefined ? options.onEvent : heardBy(replay, options.onEvent);
  const pauseSignal = earliest(options.pauseSignal, replay?.pauseSignal);
  const { strictValues, shouldRetry, customOutcomes, secrets } = options;
  const ports = { onEvent, onNotice, signal, pauseSignal, fileSystem } satisfies Partial<RunEnvironment>;
  return { ...ports, strictValues, shouldRetry, customOutcomes, redactor: runRedactor(secrets) };
}

function heardBy(replay: Replay, onEvent: CommonRunOptions['onEvent']): (event: RunEvent) => void {
  return (event) => {
    replay.note(event);
    return onEvent?.(event);
  };
}

function earliest(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other]);
}

/** Scripted answers first; then, for a run without people, approval of what can be approved; else the person. */
export function interviewerFor(
  given: Interviewer | undefined,
  answers: ReadonlyMap<string, readonly string[]>,
  autoApprove: boolean,
  simulate: boolean,
  answeredBefore: (nodeId: string) => number,
): Interviewer {
  const person = given ?? absentInterviewer;
  const approving = autoApprove ? approvingInterviewer(person) : person;
  return scriptedInterviewer(answers, simulate ? simulatedInterviewer : approving, answeredBefore);
}

/**
 * The clock of a new run.
 */
export function clockOf({ clock, simulate = false, seed }: RunOptions): Clock {
  return clock ?? clockFor(simulate, seed);
}

function clockFor(simulate: boolean, seed: number | undefined): Clock {
  return simulate ? virtualClock({ seed }) : systemClock;
}

/** The clock of a run that goes on. A simulation does not repeat the chances that it has had. */
export function clockAgain({ seq }: RunState, simulate: boolean, seed: number | undefined): Clock {
  return clockFor(simulate, seed === undefined ? undefined : seed + seq);
}

/** A script with other answers for some of its nodes. */
export function mergeAnswers(
  script: SimulationScript,
  answers: ReadonlyMap<string, readonly string[]> | undefined,
): SimulationScript {
  return answers === undefined
    ? script
    : { nodes: script.nodes, answers: new Map([...script.answers, ...answers]) };
}

/**
 * Where a new run is kept, and what it is called there.
 */
export interface NewPlace {
  readonly runId: string;
  readonly directory: string;
}

/**
 * @param clock that of the run, whose time goes into its id
 */
export function newPlace(graphName: string, options: RunOptions, clock: Clock): NewPlace {
  const runId = options.runId ?? newRunId(graphName, clock);
  const home = path.resolve(options.workingDirectory ?? '.');
  return { runId, directory: options.runDirectory ?? path.join(home, '.attractor', 'runs', runId) };
}

/**
 * What a run is given now, without secrets, and whatever becomes of the caller's object.
 * @throws RunError `usage`
 */
export function inputsOf({ inputs, secrets }: Pick<RunOptions, 'inputs' | 'secrets'>): RunInputs | undefined {
  return inputs === undefined ? undefined : redactedInputs(readInputs(inputs), runRedactor(secrets));
}
