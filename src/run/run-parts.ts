import path from 'node:path';
import { type Compilation, compile } from '../compiler/compile.js';
import type { Program } from '../graph/program.js';
import { unsupportedFeatures } from '../graph/unsupported-features.js';
import { withHandlerTypes } from '../graph/with-handler-types.js';
import type { Handler } from '../handlers/handler.js';
import { redactingBackend } from '../handlers/redacting-backend.js';
import { withSimulatedProvider } from '../handlers/simulated-provider.js';
import { toolHandler } from '../handlers/tool.js';
import { readJournal } from '../journal/journal.js';
import type { RunEvent } from '../machine/event.js';
import { attractorDirectory } from '../run-directory/durable-file.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { runFiles } from '../run-directory/run-files.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import { type Clock, systemClock } from './driver/clock.js';
import type { ProvidedHandlers } from './provided-handlers.js';
import { approvingInterviewer, simulatedInterviewer } from './questions/auto-approve.js';
import { absentInterviewer, type Interviewer } from './questions/interviewer.js';
import { type IoBoundary, recordingBoundary, replayBoundary } from './recording/io-boundary.js';
import { Replay } from './recording/replay.js';
import type { ReplaySource } from './recording/replay-source.js';
import { newRunId } from './run-id.js';
import type { InvalidPipeline } from './run-options.js';
import type { RunSettings, SettledPorts } from './run-settings.js';
import { virtualClock } from './simulate/virtual-clock.js';

// The parts of a run, each as its settings want it; `prepare-run.ts` and `open-run.ts` put them together.

/** Compiles a text with what the ports bring to the language. @param name of the file, for messages */
export function compileWith(
  text: string,
  {
    handlers,
    transforms,
    rules,
    ruleSettings,
  }: Pick<SettledPorts, 'handlers' | 'transforms' | 'rules' | 'ruleSettings'>,
  name?: string,
): Compilation {
  return compile(text, { name, transforms, rules, ruleSettings, handlerTypes: handlers.types });
}

/** The handlers of a run. @param ioBoundary what is between them and the world */
export function handlersOf(
  { handlers, backend: given, secrets }: SettledPorts,
  ioBoundary?: IoBoundary,
): ReadonlyMap<string, Handler> {
  const backend = given && redactingBackend(withSimulatedProvider(given), secrets);
  return ioBoundary === undefined ? handlers.handlers(backend) : ioBoundary.handlers(handlers, backend);
}

/** A pipeline, and the handlers that execute it. */
export interface Runnable {
  readonly program: Program;
  readonly handlers: ReadonlyMap<string, Handler>;
}

/** A pipeline with errors does not run (§7.1), nor does one with a stage that nothing can execute. */
export function runnableOf(
  { program, diagnostics }: Compilation,
  ports: SettledPorts,
): Runnable | InvalidPipeline {
  if (program === undefined) return { status: 'invalid', diagnostics };
  const resolved = withHandlerTypes(program, ports.handlers.types);
  const handlers = handlersOf(ports);
  const unsupported = unsupportedFeatures(resolved, handlers);
  return unsupported.length > 0
    ? { status: 'invalid', diagnostics: unsupported }
    : { program: resolved, handlers };
}

/** The name of a run and its directories. */
export interface RunLocation extends NewRunLocation {
  readonly workingDirectory: string;
}

/**
 * The replay of a run that plays another one back. It does not wait for attempts that the journal of a resumed run has
 * already settled.
 */
export function replayOf(
  source: ReplaySource | undefined,
  { secrets, fileSystem }: SettledPorts,
  { directory, workingDirectory }: RunLocation,
): Replay | undefined {
  if (source === undefined) return undefined;
  const replay = new Replay({ ...source, directory, workingDirectory, fileSystem, redact: secrets.text });
  const journal = path.join(directory, runFiles.journal);
  if (!fileSystem.exists(journal)) return replay;
  for (const event of readJournal(journal, fileSystem).events) replay.note(event);
  return replay;
}

/** The boundary between the stages and the world: a recorder, or a recording that is played back; undefined without either. */
export function ioBoundaryOf(
  { recorded, ports: { secrets, fileSystem } }: RunSettings,
  replay: Replay | undefined,
  place: RunLocation & { readonly clock: Clock },
): IoBoundary | undefined {
  if (replay !== undefined)
    return replayBoundary(replay, replay.recorded.manifest.options.has_backend === true);
  if (recorded.record !== true) return undefined;
  return recordingBoundary({ ...place, fileSystem, redact: secrets.text });
}

/** The number of tools that this process may have to run at a time: none, one, or several. */
export function toolsAtOnce({ program, handlers }: Runnable): number {
  if (handlers.get('tool') !== toolHandler) return 0;
  const types = [...program.nodes.values()].map(({ handler }) => handler);
  const tools = types.filter(({ type }) => type === 'tool').length;
  return types.some(({ forks }) => forks) ? tools : Math.min(tools, 1);
}

/** The handlers and the backend of this process, to be compared with those that the run had before. */
export function providedHandlersOf({ recorded, ports }: RunSettings): ProvidedHandlers {
  const types = ports.handlers.types.map((entry) => (typeof entry === 'string' ? entry : entry.type));
  return {
    hasBackend: ports.backend !== undefined && recorded.simulate !== true,
    handlerTypes: new Set(types),
  };
}

/** An observer that a replay listens before. */
export function tee(replay: Replay, onEvent: SettledPorts['onEvent']): (event: RunEvent) => void {
  return (event) => {
    replay.note(event);
    return onEvent?.(event);
  };
}

/** A run without people approves what can be approved; otherwise the person is asked. */
export function interviewerOf({ recorded, ports }: RunSettings): Interviewer {
  if (recorded.simulate === true) return simulatedInterviewer;
  const person = ports.interviewer ?? absentInterviewer;
  return recorded.autoApprove === true ? approvingInterviewer(person) : person;
}

/** The clock of a run. @param seq of the last event: a simulation that is resumed does not repeat the chances that it has had */
export function clockOf({ recorded, ports }: RunSettings, seq = 0): Clock {
  if (ports.clock !== undefined) return ports.clock;
  const { simulate, seed } = recorded;
  return simulate === true
    ? virtualClock({ seed: seed === undefined ? undefined : seed + seq })
    : systemClock;
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

/** The id and the directory of a new run. */
export interface NewRunLocation {
  readonly runId: string;
  readonly directory: string;
}

/** @param clock that of the run, whose time goes into its id */
export function newRunLocation(graphName: string, recorded: RecordedSettings, clock: Clock): NewRunLocation {
  const runId = recorded.runId ?? newRunId(graphName, clock);
  const home = path.resolve(recorded.workingDirectory ?? '.');
  return { runId, directory: recorded.runDirectory ?? path.join(home, attractorDirectory, 'runs', runId) };
}
