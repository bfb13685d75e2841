import path from 'node:path';
import { nodeAttribute } from '../../graph/attributes.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import type { FileReference } from '../../graph/values/file-reference.js';
import type { Handler, Stage } from '../../handlers/handler.js';
import { StageSuspension } from '../../handlers/handler.js';
import { parallelHandler } from '../../handlers/parallel.js';
import { readJournal } from '../../journal/journal.js';
import type { RunEvent } from '../../machine/event.js';
import type { Question } from '../../machine/interview.js';
import type { Outcome } from '../../machine/outcome.js';
import { resolveReferences } from '../../run-directory/artifact-reference.js';
import { ArtifactStore } from '../../run-directory/artifact-store.js';
import { type FileSystem, nodeFileSystem } from '../../run-directory/file-system.js';
import { readManifest } from '../../run-directory/manifest.js';
import { settingsOf } from '../../run-directory/manifest-settings.js';
import { readReferenced } from '../../run-directory/referenced-file.js';
import { runFiles } from '../../run-directory/run-files.js';
import type { RunStore } from '../../run-directory/run-store.js';
import { matchAnswer } from '../questions/match-answer.js';
import { memoryStore } from '../simulate/memory-store.js';
import { performers, simulateWith } from '../simulate/simulate.js';
import { alignPaths } from './align-paths.js';
import { type PathStep, type RecordedEnd, recordedEnd, recordedPath } from './recorded-path.js';
import { type ReplayInterviewer, replayInterviewer } from './replay-interviewer.js';
import { forAges, ReplayOrder } from './replay-order.js';
import { attemptKey, givenUpAttempts, settledAttempts } from './settled-attempts.js';
import { attemptKeyOf, lineOf, VisitKeys } from './visit-keys.js';

/** Path through a pipeline, with its end. */
export interface ReroutedPath {
  readonly path: readonly PathStep[];
  readonly end: RecordedEnd;
}

/** Routes of another pipeline on the outcomes of a run. */
export interface Rerouting {
  readonly recorded: ReroutedPath;
  /** Its branches run side by side in the order of the old run, up to the first difference. */
  readonly now: ReroutedPath;
  /** First step, from 0, in which the paths differ; undefined if they are the same. */
  readonly firstDifference: number | undefined;
  /** True if the run would have ended differently. */
  readonly endsOtherwise: boolean;
  /** Reason why the rest is unknown, if the old run has no outcome or no answer for it. */
  readonly unknown?: string;
}

/**
 * Runs a pipeline on the outcomes and the answers of an old run, by branch, node, visit in the branch and
 * attempt, in memory: stages do nothing, take no time, and a stage without an outcome in the old run ends
 * it. The old run need not be recorded.
 * @param directory the directory of the old run
 * @throws RunError if it cannot be read
 */
export async function reroute(
  directory: string,
  program: Program,
  fileSystem: FileSystem = nodeFileSystem,
): Promise<Rerouting> {
  const settings = settingsOf(readManifest(directory, fileSystem));
  const { events } = readJournal(path.join(directory, runFiles.journal), fileSystem);
  const newEvents: RunEvent[] = [];
  const answers = answering(events);
  const outcomes = recordedOutcomes(events, directory, fileSystem, settings.simulate === true);
  await simulateWith(
    withoutTimeouts(program, events),
    {
      ...settings,
      // The order of the branches' outcomes is that of the old run.
      seed: undefined,
      onEvent(event) {
        newEvents.push(event);
        outcomes.note(event);
        answers.note(event);
      },
    },
    {
      interviewer: answers,
      handlerOf: outcomes.handlerOf,
      store: readingFiles(directory, fileSystem),
    },
  );
  return comparePaths(pathOf(events), pathOf(newEvents), newEvents);
}

/** Store in memory that finds the files of the old run. */
function readingFiles(directory: string, fileSystem: FileSystem): RunStore {
  const store = memoryStore();
  const readOld = (reference: FileReference) => readReferenced(directory, reference, fileSystem);
  return { ...store, stages: { ...store.stages, readReferenced: readOld } };
}

function pathOf(events: readonly RunEvent[]): ReroutedPath {
  return { path: recordedPath(events), end: recordedEnd(events) };
}

function comparePaths(recorded: ReroutedPath, now: ReroutedPath, newEvents: readonly RunEvent[]): Rerouting {
  const { path: steps, firstDifference } = alignPaths(recorded.path, now.path);
  const suspended = newEvents.findLast((event) => event.type === 'StageSuspended');
  const unknown = now.end.status === 'paused' ? (suspended?.reason ?? now.end.reason) : undefined;
  return {
    recorded,
    now: { ...now, path: steps },
    firstDifference,
    endsOtherwise: recorded.end.status !== now.end.status,
    unknown: recorded.end.status === 'paused' ? undefined : unknown,
  };
}

/** Interviewer that chooses the same label, else the same key: another pipeline may offer others. */
function answering(events: readonly RunEvent[]): ReplayInterviewer {
  const recorded = replayInterviewer(events);
  return {
    note: recorded.note,
    async ask(question: Question, signal) {
      const answer = await recorded.ask(question, signal);
      if (answer?.selected_option === undefined) return answer;
      const { label, key } = answer.selected_option;
      return matchAnswer(question, label) ?? matchAnswer(question, key);
    },
  };
}

interface RecordedOutcomes {
  handlerOf(node: ProgramNode): Handler;
  /** Call with each event: stages without work, and parallel ones, have their outcomes by themselves. */
  note(event: RunEvent): void;
}

function recordedOutcomes(
  events: readonly RunEvent[],
  directory: string,
  fileSystem: FileSystem,
  simulates: boolean,
): RecordedOutcomes {
  const { settled, stopped } = attemptsByKey(events);
  const order = new ReplayOrder(settled.filter(({ branch }) => branch !== undefined).map(({ key }) => key));
  const attemptOf = attemptFinder(settled);
  const artifacts = new ArtifactStore({
    directory: path.join(directory, 'artifacts'),
    fileSystem,
    now: () => 0,
  });
  const recorded: Handler = {
    isSimulated: true,
    async execute(stage) {
      const attempt = attemptOf(stage);
      if (attempt === undefined) {
        // It is stopped now too, unless the other pipeline would have waited for it.
        if (stopped.has(keyOf(stage))) await stage.sleep(forAges);
        throw new StageSuspension(noOutcome(stage));
      }
      await order.pass(attempt.key, stage.signal, stage.sleep);
      if (attempt.isSimulated) stage.markSimulated();
      const { response, output } = attempt.outcome;
      if (response !== undefined) stage.keepFile('response', response);
      if (output !== undefined) stage.keepFile('output', output);
      return withResolvedValues(attempt.outcome, artifacts);
    },
  };
  // An answer is there at once, but the old run may have had those of other branches before.
  const inOldOrder = (handler: Handler): Handler => ({
    ...handler,
    execute(stage) {
      const result = handler.execute(stage);
      return result instanceof Promise ? inTurn(result, stage) : result;
    },
  });
  const inTurn = async <Result>(work: Promise<Result>, stage: Stage): Promise<Result> => {
    const result = await work;
    await order.pass(attemptOf(stage)?.key ?? keyOf(stage), stage.signal, stage.sleep);
    return result;
  };
  const visitKeys = new VisitKeys();
  return {
    handlerOf({ node, handler: { type, harmless } }) {
      // Without a list, only a simulated run has an item.
      if (type === 'parallel' && !simulates) return parallelHandler;
      // Only a model's choice is an outcome of the old run; without one it follows from the branches.
      const isFanIn = type === 'parallel.fan_in' && nodeAttribute(node, 'prompt') === '';
      const performer = harmless || isFanIn ? performers.get(type) : undefined;
      if (performer === undefined) return recorded;
      return performer.fansOut ? performer : inOldOrder(performer);
    },
    note(event) {
      visitKeys.note(event);
      for (const attempt of settledAttempts([event])) {
        order.settled(visitKeys.attemptKey({ ...attempt, place: visitKeys.place }));
      }
    },
  };
}

/** Attempt of the old run. */
interface OldAttempt {
  readonly key: string;
  /** Key in the words of the journal, which counts visits over all branches. */
  readonly journalKey: string;
  readonly branch: string | undefined;
  readonly outcome: Outcome;
  readonly isSimulated: boolean;
}

interface OldAttempts {
  readonly settled: readonly OldAttempt[];
  /** Keys of those that were stopped for good. */
  readonly stopped: ReadonlySet<string>;
}

function attemptsByKey(events: readonly RunEvent[]): OldAttempts {
  const visitKeys = new VisitKeys();
  for (const event of events) visitKeys.note(event);
  const settled = settledAttempts(events).map((attempt) => ({
    key: visitKeys.attemptKey(attempt),
    journalKey: attemptKey(attempt),
    branch: attempt.branch,
    outcome: attempt.event.outcome,
    isSimulated: attempt.event.simulated === true,
  }));
  return {
    settled,
    stopped: new Set(givenUpAttempts(events).map((attempt) => visitKeys.attemptKey(attempt))),
  };
}

/**
 * Finds the old attempt that corresponds to a new one. A branch is called after its first stage, so it has
 * another name if that was edited: a stage that the branch did not execute then is found by its visits in
 * all branches.
 */
function attemptFinder(settled: readonly OldAttempt[]): (stage: Stage) => OldAttempt | undefined {
  const byKey = new Map(settled.map((attempt) => [attempt.key, attempt]));
  const byJournalKey = new Map(settled.map((attempt) => [attempt.journalKey, attempt]));
  const lines = new Set(settled.map(({ key }) => lineOf(key)));
  return (stage) => {
    const key = keyOf(stage);
    const { node, visit, attempt, logsRoot } = stage;
    return lines.has(lineOf(key))
      ? byKey.get(key)
      : byJournalKey.get(attemptKey({ place: logsRoot, node_id: node.id, visit, attempt }));
  };
}

/**
 * Pipeline without timeouts that did not occur in the old run: waiting for the outcomes of other branches
 * would count as the time of a stage.
 */
function withoutTimeouts(program: Program, events: readonly RunEvent[]): Program {
  const timedOut = new Set<string>();
  let runTimedOut = false;
  for (const event of events) {
    if (event.type === 'ParallelCompleted' && event.error !== undefined) timedOut.add(event.node_id);
    if (event.type === 'PipelineFailed' && event.kind === 'timeout') runTimedOut = true;
  }
  const { limits } = program;
  const nodes = Array.from(program.nodes, ([id, node]): [string, ProgramNode] => [
    id,
    timedOut.has(id) ? node : { ...node, timeout: undefined },
  ]);
  return {
    ...program,
    nodes: new Map(nodes),
    limits: runTimedOut ? limits : { ...limits, timeout: undefined },
  };
}

function keyOf({ runId, idempotencyKey, attempt }: Stage): string {
  return attemptKeyOf(idempotencyKey.slice(runId.length + 1), attempt);
}

function noOutcome({ node, visit, attempt }: Stage): string {
  const which = attempt === 1 ? `visit ${visit}` : `attempt ${attempt} of visit ${visit}`;
  return `the old run has no outcome for ${which} of "${node.id}"`;
}

/** Outcome before the rules of its node made it a failure. */
function asReported(outcome: Outcome, status: Outcome['status']): Outcome {
  const { failure_reason: _reason, retryable: _retryable, failure_category: _category, ...rest } = outcome;
  return { ...rest, status };
}

/**
 * Outcome with the values that were too large for the journal, from the artifacts of the run (§5.5); what a
 * node assigns is evaluated again.
 */
function withResolvedValues(outcome: Outcome, artifacts: ArtifactStore): Outcome {
  const { context_updates: updates, artifacts: _stored, assigned: _assigned, reported, ...details } = outcome;
  const rest: Outcome = reported === undefined ? details : asReported(details, reported);
  if (updates === undefined) return rest;
  const resolved = Object.entries(updates).map(([key, value]) => [key, resolveReferences(value, artifacts)]);
  return { ...rest, context_updates: Object.fromEntries(resolved) };
}
