import path from 'node:path';
import { graphAttribute } from '../graph/attributes.js';
import type { Program, ProgramNode } from '../graph/program.js';
import type { Handler } from '../handlers/handler.js';
import { builtInHandlers } from '../handlers/index.js';
import { type JournalEnd, readJournal } from '../journal/journal.js';
import type { RunEvent } from '../machine/event.js';
import type { InputBody } from '../machine/input.js';
import type { RunState } from '../machine/state.js';
import { ArtifactStore } from '../run-directory/artifact-store.js';
import { boundedText } from '../run-directory/bounded-text.js';
import { isOfThisMachine } from '../run-directory/file-system.js';
import type { Lock } from '../run-directory/lock.js';
import type { Manifest } from '../run-directory/manifest.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { runFiles } from '../run-directory/run-files.js';
import type { RunStore } from '../run-directory/run-store.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import { noRedactor } from '../secrets/redactor.js';
import { type RunResult, resultOf } from '../view/run-result.js';
import type { Workspace } from '../workspaces/workspace.js';
import { boundedBudget } from './bounds.js';
import { isOfChild } from './children/child-script.js';
import { EntriesBelow } from './children/entries-below.js';
import type { RunCall, RunEngine } from './children/run-engine.js';
import { type ScriptUse, scriptUse } from './children/script-use.js';
import { childStarter } from './children/start-child.js';
import type { Continuation } from './continuation.js';
import type { BudgetAbove } from './driver/budget-above.js';
import { type Clock, clockFrom, systemClock } from './driver/clock.js';
import { Driver } from './driver/driver.js';
import type { DriverPorts, StartChild, TellPast } from './driver/driver-ports.js';
import type { DurableLog } from './driver/durable-log.js';
import { externalizeInputs } from './driver/externalize.js';
import type { StagesElsewhere } from './elsewhere/stages-elsewhere.js';
import { forgetTools } from './end-left-tools.js';
import { buildPreamble } from './preamble/preamble.js';
import { preambleMaterial } from './preamble/preamble-material.js';
import type { RunHistory } from './preamble/run-history.js';
import { missingBackendNoticeFor, type ProvidedHandlers } from './provided-handlers.js';
import { approvingInterviewer, simulatedInterviewer } from './questions/auto-approve.js';
import { absentInterviewer, type Interviewer } from './questions/interviewer.js';
import { clearQuestions } from './questions/question-files.js';
import { RunQuestions } from './questions/run-questions.js';
import { answerScript, scriptedInterviewer } from './questions/scripted-interviewer.js';
import { type IoBoundary, recordingBoundary, replayBoundary } from './recording/io-boundary.js';
import { Replay } from './recording/replay.js';
import type { ReplaySource } from './recording/replay-source.js';
import { openRunDirectory } from './run-directory.js';
import type { RunPorts } from './run-options.js';
import { clockOf, handlersOf, mergeAnswers, type RunLocation } from './run-parts.js';
import { type RunSettings, type SettledPorts, withPorts, withRecorded } from './run-settings.js';
import { earlySignals, listen, type RunSignals } from './run-signals.js';
import { type MadeUpKeys, withMadeUpWords } from './simulate/made-up-words.js';
import { scriptedHandler, simulatedHandler } from './simulate/simulated-handlers.js';

/** Run that may begin, or be resumed: everything is checked, and nothing was created or changed. */
export interface PreparedRun extends RunLocation {
  /** Settings; the script is never missing. */
  readonly settings: RunSettings;
  readonly script: SimulationScript;
  readonly program: Program;
  readonly provided: ProvidedHandlers;
  /** Run that it plays back. */
  readonly replayed: ReplaySource | undefined;
  /** Number of runs above it; `maxDepth` is the limit for any run below it. */
  readonly depth: number;
  readonly maxDepth: number;
  readonly git: Manifest['git'];
  readonly workspace: Workspace | undefined;
  /** Warnings for the log when the run begins or continues. */
  readonly warnings: readonly string[];
  readonly call: RunCall;
  /** Settings of this call of `resume`; none if the run begins. */
  readonly given: RecordedSettings;
}

/** Connections of a run with the world, whether it begins or is resumed. */
export interface RunEnvironment extends RunSignals {
  readonly ports: RunSignals['ports'] &
    Pick<RunPorts, 'onEvent' | 'onText' | 'onNotice' | 'shouldRetry'> & {
      readonly clock: Clock;
      readonly interviewer: Interviewer;
    };
  readonly handlers: ReadonlyMap<string, Handler>;
  /** Returns the number of the script's entry for an attempt of a stage, from the number of the attempt. */
  readonly entryOf: (nodeId: string, execution: number) => number;
  /** Notice when the run begins or continues, also for the log. */
  readonly startNotice?: string;
  /** Warnings for the log, for example about inputs that could not be kept as they were (SEMANTICS 66a). */
  readonly startWarnings?: readonly string[];
  /** Workspace of the stages in a run that keeps their files. */
  readonly workspace?: Workspace;
  /** Layer between stages and models, agents and tools, if that is recorded or played back. */
  readonly ioBoundary?: Pick<IoBoundary, 'open' | 'close'>;
  /** Runs other pipelines for stages. */
  readonly startChild?: StartChild;
  /** Set for a run that a stage of another run drives. */
  readonly isChild?: boolean;
  /** Budget that the runs above a child leave it. */
  readonly budgetAbove?: BudgetAbove;
  /** Keeps the history of the run elsewhere than in its directory. */
  readonly durableLog?: DurableLog;
  /** Performs attempts of its stages on other machines. */
  readonly elsewhere?: StagesElsewhere;
}

/**
 * Connects a run with the world. Its directory is locked by then, and nothing in it is changed yet.
 * @param state folded from its journal
 * @param continuation of a resumed run: the visits that continue after a failure
 */
export function openRun(
  run: PreparedRun,
  engine: RunEngine,
  state: RunState,
  continuation?: Continuation,
): RunEnvironment {
  const { settings, script, program, replayed, provided, call, workspace, warnings } = run;
  const { simulate = false, answers } = settings.recorded;
  const clock = clockFrom(clockOf(settings, state.seq), state.lastEventAt);
  const replay = replayOf(replayed, settings.ports, run);
  const ioBoundary = ioBoundaryOf(settings, replay, { ...run, clock });
  const { onEvent, pauseSignal, bounds } = settings.ports;
  const { questions = new RunQuestions() } = call;
  const use = call.scriptUse ?? ownScriptUse(run, state);
  // Children of a replay have other ids, but their attempts take the entries of those in the recording.
  const scriptedAs = replayed?.recorded.manifest.run_id ?? run.runId;
  // Those of earlier calls hold for the rest of the run.
  const stageBudgets = { ...Object.fromEntries(state.stageBudgets), ...settings.recorded.stageBudgets };
  return {
    ports: {
      ...settings.ports,
      clock,
      interviewer: scriptedInterviewer(use.answers, interviewerOf(settings, replay)),
      onEvent: replay === undefined ? onEvent : tee(replay, onEvent),
      pauseSignal: replay === undefined ? pauseSignal : replay.pauseSignalWith(pauseSignal),
    },
    handlers: handlersOf(settings.ports, ioBoundary),
    entryOf: (nodeId, execution) => use.entryOf(scriptedAs, nodeId, execution),
    ioBoundary,
    startChild: childStarter(
      {
        settings: withRecorded(withPorts(settings, { clock }), { stageBudgets }),
        script: mergeAnswers(script, answers),
        given: run.given,
        depth: run.depth,
        maxDepth: run.maxDepth,
        questions,
        scriptUse: use,
        durableLog: call.durableLog,
        replay,
        // A run that continues elsewhere begins there.
        continued: settings.recorded.from === undefined ? continuation?.leftVisits : undefined,
      },
      engine,
    ),
    stopSignal: call.stopSignal,
    // A replay has its own answers.
    questions: replay === undefined ? questions : undefined,
    isChild: call.budgetAbove !== undefined,
    budgetAbove: call.budgetAbove ?? (bounds && boundedBudget(bounds)),
    durableLog: call.durableLog,
    elsewhere: mayBeSpread(run) ? call.elsewhere : undefined,
    workspace,
    startNotice: missingBackendNoticeFor({ program, script, simulate }, provided),
    startWarnings: warnings,
  };
}

/** True if stages of a run may work on other machines: nothing of theirs is on this one only. */
function mayBeSpread({ settings, workspace, program }: PreparedRun): boolean {
  const { spread = false, simulate = false, record = false } = settings.recorded;
  const isSticky = graphAttribute(program.graph, 'placement') === 'sticky';
  return spread && !simulate && !record && workspace === undefined && !isSticky;
}

/**
 * Use of the scripts of a run that no other one drives.
 * @param state folded from its journal, which has the answers of its own stages
 */
function ownScriptUse(
  { settings, script, program, directory, replayed, call }: PreparedRun,
  state: RunState,
): ScriptUse {
  const { answers = new Map<string, readonly string[]>() } = settings.recorded;
  const names = [...script.nodes.keys(), ...script.answers.keys()];
  const below = new EntriesBelow();
  const past = replayed?.recorded.directory ?? (state.status === 'created' ? undefined : directory);
  // The children of a long run are many, and not many runs have a script for them.
  if (past !== undefined && names.some((name) => isOfChild(program, name)))
    below.addFrom(past, settings.ports.fileSystem);
  // Answers of this call are not counted with those that the script has given before.
  const ofCall = answerScript(answers, (name) => call.durableLog?.answered.get(name) ?? 0);
  const ofScript = answerScript(script.answers, (name) => state.answers.get(name) ?? below.answered(name));
  return scriptUse((stage) => ofCall(stage) ?? ofScript(stage), below);
}

/**
 * Replay of a run that plays another one back. It does not wait for attempts that the journal of a resumed
 * run has already settled.
 */
function replayOf(
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

/**
 * Boundary between the stages and the world: a recorder, or a recording that is played back; undefined
 * without either.
 */
function ioBoundaryOf(
  { recorded, ports: { secrets, fileSystem } }: RunSettings,
  replay: Replay | undefined,
  place: RunLocation & { readonly clock: Clock },
): IoBoundary | undefined {
  if (replay !== undefined)
    return replayBoundary(replay, replay.recorded.manifest.options.has_backend === true);
  if (recorded.record !== true) return undefined;
  return recordingBoundary({ ...place, fileSystem, redact: secrets.text });
}

/** Observer that passes each event to the replay first. */
function tee(replay: Replay, onEvent: SettledPorts['onEvent']): (event: RunEvent) => void {
  return (event) => {
    replay.note(event);
    return onEvent?.(event);
  };
}

/**
 * Interviewer of a run: one without people approves automatically if possible; otherwise the person is
 * asked.
 */
function interviewerOf({ recorded, ports }: RunSettings, replay: Replay | undefined): Interviewer {
  if (recorded.simulate === true) return simulatedInterviewer;
  const person = replay?.interviewer ?? ports.interviewer ?? absentInterviewer;
  return recorded.autoApprove === true ? approvingInterviewer(person) : person;
}

/** Run that is ready to be driven from some state. */
export interface RunSession extends RunBasis {
  /** Lock of the run, which this process holds. */
  readonly lock: Lock;
}

/** State of a run, and the things that belong to it. */
export interface RunBasis {
  readonly program: Program;
  readonly directory: string;
  readonly state: RunState;
  /** Past of the run from its journal; undefined if no stage needs it. */
  readonly history: RunHistory | undefined;
  /** Keys that its simulated stages have made up. */
  readonly madeUp: MadeUpKeys;
  /** End of the journal's last complete line; a promise while the file is still being written. */
  readonly journalEnd: JournalEnd | Promise<JournalEnd>;
  readonly graphHash: string;
  readonly workingDirectory: string;
  readonly settings: RecordedSettings;
}

/**
 * Drives a run until it ends or pauses, and writes its result.
 * @throws RunError `storage`, or `usage` for inputs that are too large
 */
export async function driveRun(
  session: RunSession,
  environment: RunEnvironment,
  input: InputBody,
): Promise<RunResult> {
  const { program, directory, settings } = session;
  const { ports, workspace, ioBoundary } = environment;
  const { clock, onNotice, fileSystem, secrets } = ports;
  const opened = openPorts(session, environment);
  const { store, artifacts } = opened;
  try {
    ioBoundary?.open();
    const driver = new Driver(program, session.state, opened.ports);
    const first = withSmallInputs(input, session.state.seq, artifacts);
    const stopListening = listen(driver, session, environment);
    // It has been said when the run began here.
    const log = input.kind === 'wake' ? [] : startLog(environment);
    const early = [...log, ...earlySignals(environment)];
    environment.durableLog?.drives(program);
    const state = await driver.run(first, (secrets ?? noRedactor).json(early)).finally(stopListening);
    await store.journal.settled;
    await workspace?.close(state, (message) => onNotice?.(message));
    const result = resultOf(state, path.resolve(directory), clock.now());
    store.writeResult(result);
    if (settings.simulate !== true) forgetTools(directory, state, fileSystem);
    if (state.status !== 'paused') forgetQuestions(directory, environment);
    return result;
  } finally {
    ioBoundary?.close();
    opened.close();
  }
}

/** Ports of a driver, and what of them is open in the directory of the run. */
interface OpenPorts {
  readonly ports: DriverPorts;
  readonly store: RunStore;
  readonly artifacts: ArtifactStore;
  close(): void;
}

/** Opens the directory of a run for whoever performs its effects. */
export function openPorts(
  session: RunBasis & Partial<Pick<RunSession, 'lock'>>,
  environment: RunEnvironment,
): OpenPorts {
  const { directory, settings, history, workingDirectory, lock } = session;
  const { workspace, budgetAbove, startChild, durableLog, elsewhere } = environment;
  const { clock, interviewer, onEvent, onText, fileSystem, shouldRetry, secrets } = environment.ports;
  // A simulation runs no foreign code; but the supervisor of a child run writes to its stages.
  const isAlone = settings.simulate === true && !environment.isChild;
  // A stage above knows where its child is.
  const isCache = durableLog !== undefined && !environment.isChild;
  const store = openRunDirectory(directory, session.journalEnd, fileSystem, { isAlone, isCache, lock });
  const artifacts = new ArtifactStore({
    directory: path.join(directory, 'artifacts'),
    fileSystem,
    now: () => clock.now(),
    redactor: secrets,
  });
  const ports: DriverPorts = {
    settings,
    store,
    clock,
    interviewer,
    questions: environment.questions,
    handlerOf: (node, execution) => handlerOf(session, environment, node, execution),
    onEvent,
    onText,
    artifacts,
    history,
    preamble: preambleOf(session),
    shouldRetry,
    redactor: secrets,
    startChild,
    budgetAbove,
    sharesFlushes: clock === systemClock,
    durableLog,
    elsewhere,
    workingDirectory,
    workspace,
    graphHash: session.graphHash,
  };
  return {
    ports,
    store,
    artifacts,
    close() {
      artifacts.close();
      store.close();
    },
  };
}

function preambleOf({ program, history }: RunBasis): TellPast | undefined {
  if (history === undefined) return undefined;
  return (mode, state, effect, continues) => {
    const thread = continues ? effect.thread : undefined;
    return buildPreamble(mode, preambleMaterial(program, state, history, effect, thread));
  };
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

/** Input whose large values are artifacts, on the disk before an event names them (DESIGN §2). */
function withSmallInputs(input: InputBody, seq: number, artifacts: ArtifactStore): InputBody {
  if ((input.kind !== 'start' && input.kind !== 'resume') || input.inputs === undefined) return input;
  // Inputs may change on resume; artifacts named by earlier events do not.
  const inputs = externalizeInputs(input.inputs, `inputs.${seq}`, artifacts);
  if (inputs === input.inputs) return input;
  artifacts.sync();
  return { ...input, inputs };
}

/** Removes the questions of a run that is over. Notes about rejected answers stay. */
function forgetQuestions(directory: string, { ports, isChild }: RunEnvironment): void {
  if (!isOfThisMachine(ports.fileSystem) || isChild) return;
  const questions = path.join(directory, runFiles.questions);
  for (const problem of clearQuestions(questions, 'the run is over, so no question is open'))
    ports.onNotice?.(`a file of a question could not be removed: ${problem}`);
}

/**
 * Handlers under `simulate`, in which neither a backend nor a handler of the embedding program does any
 * work.
 */
const pretending: ReadonlyMap<string, Handler> = new Map(
  [...builtInHandlers(undefined)].map(([type, handler]) => [type, { ...handler, isSimulated: true }]),
);

/**
 * Handler of an attempt: the script goes first; under `simulate` every other one with real work is
 * simulated, but gates still ask and LLM stages still keep their prompt (DESIGN §5).
 */
function handlerOf(
  session: RunBasis,
  { handlers, entryOf }: RunEnvironment,
  node: ProgramNode,
  execution: number,
): Handler {
  const { program, settings } = session;
  const { script, simulate = false, customOutcomes = false } = settings;
  const madeUp = (usual: Handler): Handler =>
    withMadeUpWords(usual, node, program, customOutcomes, session.madeUp);
  const entries = script?.nodes.get(node.id);
  if (entries !== undefined) return scriptedHandler(entries, entryOf(node.id, execution));
  const { type, runsSimulated } = node.handler;
  if (simulate && !runsSimulated) return madeUp(simulatedHandler);
  const handler = (simulate ? pretending : handlers).get(type);
  if (handler === undefined) throw new Error(`no handler for "${type}", although the run was checked`);
  return simulate && node.handler.llm ? madeUp(handler) : handler;
}
