import type { Program } from '../../graph/program.js';
import type { ClearedKeys } from '../../graph/values/cleared-keys.js';
import { nothingReported } from '../budget-reports.js';
import { failuresWith, recoveredIn } from '../categorize-failure.js';
import { mergeOutcome, withUpdates } from '../context.js';
import { type CursorDraft, changeCursor, type Draft } from '../draft.js';
import type {
  EdgeSelected,
  EventHeader,
  InterviewStarted,
  StageCompleted,
  StageFailed,
  StageRetrying,
  StageSkipped,
  StageStarted,
  StageSuspended,
} from '../event.js';
import { failedForkOf } from '../failed-fork.js';
import { branchesToMerge, filesAfter, filesBeforeKey } from '../files.js';
import { type Answer, isInterruption } from '../interview.js';
import { type Outcome, reasonOf, valuesSetBy } from '../outcome.js';
import { persistentMap } from '../persistent.js';
import type { PersonWords } from '../person-words.js';
import { joinStages, noteSettled, noteVisit } from '../seen-stages.js';
import { type Cursor, lineKey, type TerminalFailure } from '../state.js';
import { noUsage } from '../usage.js';
import { countedBranches, mergedBranches, parallelResults } from './evolve-parallel.js';

const noModels: readonly string[] = [];

/** An attempt of a stage begins; the first one is a visit (§3.5, SEMANTICS 88). */
export function stageStarted(program: Program, draft: Draft, event: StageStarted, at: number): void {
  const { node_id: nodeId } = event;
  const cursor = changeCursor(draft, event.branch);
  cursor.nodeId = nodeId;
  cursor.phase = 'running';
  cursor.visit = event.visit;
  cursor.attempt = event.attempt;
  cursor.index = event.index;
  cursor.startedAt = at;
  cursor.outcome = undefined;
  cursor.wasCutOff = false;
  cursor.unpriced = noModels;
  if (cursor.files !== undefined) filesBegin(draft, cursor, event);
  if (program.nodes.get(nodeId)?.handler.llm) {
    cursor.fidelity = event.fidelity;
    cursor.thread = event.thread_id;
    cursor.resumedWithoutSession = false;
  }
  if (event.resumed) return;
  cursor.execution = draft.executions.get(nodeId) ?? 0;
  draft.executions = draft.executions.set(nodeId, cursor.execution + 1);
  cursor.question = undefined;
  cursor.answers = noAnswers;
  if (event.attempt > 1) return;
  cursor.words = noWords;
  cursor.visitIsExempt = false;
  cursor.visitUsage = noUsage;
  cursor.reportedBudgets = nothingReported;
  cursor.context = entered(cursor.context, nodeId, retryKey(program, nodeId));
  cursor.items = undefined;
  if (nodeId !== program.startId && nodeId !== program.exitId) cursor.steps += 1;
  draft.nextIndex = event.index + 1;
  draft.path = draft.path.push(nodeId);
  draft.visits = draft.visits.set(nodeId, event.visit);
  const line = lineKey(cursor.id, nodeId);
  cursor.lineVisit = (draft.lineVisits.get(line) ?? 0) + 1;
  draft.lineVisits = draft.lineVisits.set(line, cursor.lineVisit);
  noteVisit(program, cursor);
  if (cursor.lineVisit > 1) clearKeys(cursor, clearsOf(program, nodeId).again);
  if (draft.retries.get(nodeId) !== 0) draft.retries = draft.retries.set(nodeId, 0);
}

/** A visit has ended with its outcome, which goes into the context (§3.2, §5.1). */
export function stageSettled(
  program: Program,
  draft: Draft,
  event: StageCompleted | StageSkipped | StageFailed,
): void {
  const { node_id: nodeId, outcome } = event;
  const cursor = changeCursor(draft, event.branch);
  const handler = program.nodes.get(nodeId)?.handler;
  const inherits = handler?.inheritsOutcome === true && outcome.status !== 'fail';
  const isExit = nodeId === program.exitId;
  const retries = outcome.status === 'fail' ? (draft.retries.get(nodeId) ?? 0) : 0;
  const results =
    cursor.fork === undefined
      ? undefined
      : { ...mergedBranches(program, cursor).values, ...parallelResults(program, cursor) };
  clearKeys(cursor, clearsOf(program, nodeId).always);
  cursor.context = mergeOutcome(cursor.context, outcome, inherits || isExit);
  const key = retryKey(program, nodeId);
  if (cursor.context.get(key) !== retries) cursor.context = cursor.context.set(key, retries);
  if (outcome.status === 'fail') cursor.context = withFailure(cursor.context, nodeId, outcome);
  if (results !== undefined) {
    cursor.context = withUpdates(cursor.context, results);
    joinStages(program, cursor, countedBranches(program, cursor));
  }
  if (cursor.branch !== undefined) noteInBranch(cursor, nodeId, outcome, results);
  if (cursor.fork !== undefined) cursor.failedFork = failedForkOf(nodeId, cursor.fork, outcome);
  if (cursor.files !== undefined) filesSettle(cursor, event.commit);
  cursor.phase = 'settled';
  cursor.items = undefined;
  cursor.fork = undefined;
  cursor.outcome = outcome;
  if (!inherits || cursor.routedOutcome === undefined) {
    cursor.routedOutcome = outcome;
    cursor.routedFrom = nodeId;
  }
  if (cursor.words.length > 0) cursor.words = noWords;
  noteSettled(program, cursor, inherits ? cursor.routedOutcome : outcome);
  cursor.question = undefined;
  if (nodeId === program.startId) draft.initialValues = outcome.assigned ?? draft.initialValues;
  if (!isExit) noteOutcome(program, draft, nodeId, cursor);
  visitEnded(draft, nodeId, outcome, retries, isExit);
  noteSimulated(draft, nodeId, event.simulated === true);
  if (outcome.status !== 'fail') noteRecovery(draft, event);
  for (const id of outcome.artifacts ?? []) draft.artifacts = draft.artifacts.set(id, true);
  countTerminalFailure(draft, cursor.id, nodeId, outcome);
}

/**
 * Keeps the outcome of a node. A diamond does nothing that could satisfy a goal gate: the outcome that it
 * passes on counts (SEMANTICS 32).
 */
function noteOutcome(
  program: Program,
  draft: Draft,
  nodeId: string,
  { outcome, routedOutcome, routedFrom = nodeId }: CursorDraft,
): void {
  const isGate = program.nodes.get(nodeId)?.goalGate === true;
  const counted = isGate ? routedOutcome : outcome;
  if (counted === undefined || counted.status === 'skipped') return;
  draft.outcomes = draft.outcomes.set(nodeId, counted);
  if (isGate) draft.gateSources = draft.gateSources.set(nodeId, routedFrom);
}

/**
 * Resets a stage that was stopped with its branch: if the branch ever continues, it is where it was
 * (SEMANTICS 66b).
 */
export function stageStopped(draft: Draft, event: StageSkipped): void {
  const { node_id: nodeId, outcome } = event;
  const cursor = changeCursor(draft, event.branch);
  const { fork, phase } = cursor;
  if (fork !== undefined) cursor.failedFork = failedForkOf(nodeId, fork, outcome);
  cursor.wasCutOff = fork === undefined && (phase === 'running' || phase === 'interrupted');
  cursor.phase = 'arriving';
  cursor.fork = undefined;
  cursor.question = undefined;
  visitEnded(draft, nodeId, outcome, 0, false);
}

/** Counts a failed attempt, the last one of its visit or not. */
export function noteFailure(draft: Draft, event: StageFailed & EventHeader): void {
  draft.failures = draft.failures.set(event.node_id, failuresWith(draft.failures, event));
}

/** Notes that a node has recovered from its failures in a branch. */
function noteRecovery(
  draft: Draft,
  { node_id: nodeId, branch }: Pick<StageCompleted, 'node_id' | 'branch'>,
): void {
  const failures = recoveredIn(draft.failures.get(nodeId), branch);
  if (failures !== undefined) draft.failures = draft.failures.set(nodeId, failures);
}

/** A failed attempt that will be retried leaves only the fact that it happened. */
export function attemptFailed(draft: Draft, event: StageFailed): void {
  const cursor = changeCursor(draft, event.branch);
  cursor.phase = 'waiting';
  cursor.fork = undefined;
  cursor.attempt = event.attempt + 1;
  cursor.waitUntil = 0;
  cursor.retryAfterMs = event.outcome.retry_after_ms ?? 0;
  cursor.question = undefined;
}

/** The next attempt waits for its time (§3.5). */
export function stageRetrying(program: Program, draft: Draft, event: StageRetrying, at: number): void {
  const cursor = changeCursor(draft, event.branch);
  const retries = event.attempt - 1;
  cursor.phase = 'waiting';
  cursor.attempt = event.attempt;
  cursor.waitUntil = at + event.delay;
  cursor.context = cursor.context.set(retryKey(program, event.node_id), retries);
  draft.retries = draft.retries.set(event.node_id, retries);
  const failures = draft.failures.get(event.node_id);
  if (failures !== undefined)
    draft.failures = draft.failures.set(event.node_id, { ...failures, retries: failures.retries + 1 });
}

/** Suspends a stage that waits for something outside of this process. */
export function stageSuspended(draft: Draft, event: StageSuspended): void {
  const cursor = changeCursor(draft, event.branch);
  cursor.phase = 'suspended';
  cursor.suspendedReason = event.reason;
}

/** A cursor moves to the next node (§3.3). */
export function edgeSelected(draft: Draft, event: EdgeSelected): void {
  const cursor = changeCursor(draft, event.branch);
  if (event.reason === 'goal_gate') draft.goalGateRedirects += 1;
  cursor.nodeId = event.to;
  cursor.previousNode = event.from;
  cursor.incomingEdge = event.edge;
  if (event.reason !== 'join') {
    cursor.failedFork = undefined;
    // Their files are merged only where the branches meet.
    cursor.files = filesAfter(cursor.files, cursor.files?.commit);
  }
  cursor.phase = event.loop_restart ? 'restarting' : 'arriving';
  cursor.outcome = undefined;
}

/** A person is asked (§6), by a stage or by the engine about an interrupted stage. */
export function questionAsked(draft: Draft, event: InterviewStarted, at: number): void {
  const cursor = changeCursor(draft, event.branch);
  cursor.question = { question: event.question, askedAt: at };
  if (isInterruption(event.question)) cursor.phase = 'interrupted';
}

/** Records the answer to a question, which the next attempt finds (SEMANTICS 75). */
export function questionAnswered(
  draft: Draft,
  branch: string | undefined,
  questionId: string,
  answer: Answer,
): void {
  const cursor = changeCursor(draft, branch);
  draft.answers = draft.answers.set(cursor.nodeId, (draft.answers.get(cursor.nodeId) ?? 0) + 1);
  cursor.question = undefined;
  cursor.answers = cursor.answers.set(questionId, answer);
}

/** Records the files before a visit, in case the run later continues there. */
function filesBegin(
  draft: Draft,
  cursor: CursorDraft,
  { node_id: nodeId, attempt, resumed }: StageStarted,
): void {
  const { files } = cursor;
  if (files === undefined) return;
  const isResumed = resumed === true;
  if (files.isResumed !== isResumed) cursor.files = { ...files, isResumed };
  if (isResumed || attempt > 1) return;
  draft.filesBefore = draft.filesBefore.set(filesBeforeKey(nodeId), files);
  if (cursor.branch !== undefined)
    draft.filesBefore = draft.filesBefore.set(filesBeforeKey(nodeId, cursor.id), files);
}

function filesSettle(cursor: CursorDraft, commit: string | undefined): void {
  const files = filesAfter(cursor.files, commit);
  const { fork } = cursor;
  cursor.files = files && fork ? { ...files, unmerged: branchesToMerge(fork) } : files;
}

const noAnswers = persistentMap<string, Answer>();
const noWords: readonly PersonWords[] = [];

/** Updates a context when a node is entered; in a loop only `current_node` changes. */
function entered(context: Cursor['context'], nodeId: string, key: string): Cursor['context'] {
  const named = context.set('current_node', nodeId);
  return named.get(key) === 0 ? named : named.set(key, 0);
}

/** Context in which conditions and values find the latest failure (SEMANTICS 104). */
function withFailure(context: Cursor['context'], node: string, outcome: Outcome): Cursor['context'] {
  const category = outcome.failure_category ?? null;
  return context.set('internal.last_failure', { node, reason: reasonOf(outcome), category });
}

/** Removes what an earlier stage or visit has left and this one sets again (SEMANTICS 103). */
function clearKeys(cursor: CursorDraft, keys: readonly string[]): void {
  for (const key of keys) {
    if (cursor.context.has(key)) cursor.context = cursor.context.delete(key);
    if (cursor.updates.has(key)) cursor.updates = cursor.updates.delete(key);
  }
}

function clearsOf(program: Program, nodeId: string): ClearedKeys {
  return program.nodes.get(nodeId)?.clears ?? noKeys;
}

const noKeys: ClearedKeys = { always: [], again: [] };

/** Context key of a retry counter; created once for each node. */
function retryKey(program: Program, nodeId: string): string {
  return program.nodes.get(nodeId)?.retryCountKey ?? `internal.retry_count.${nodeId}`;
}

function visitEnded(
  draft: Draft,
  nodeId: string,
  { status }: Outcome,
  retries: number,
  isExit: boolean,
): void {
  if (!isExit) draft.completed = draft.completed.push(nodeId);
  draft.lastCompleted = nodeId;
  if (draft.statuses.get(nodeId) !== status) draft.statuses = draft.statuses.set(nodeId, status);
  if (draft.retries.get(nodeId) !== retries) draft.retries = draft.retries.set(nodeId, retries);
}

function noteSimulated(draft: Draft, nodeId: string, isSimulated: boolean): void {
  const before = draft.simulated.get(nodeId) ?? false;
  if (before !== isSimulated) draft.simulated = draft.simulated.set(nodeId, isSimulated);
}

/** Records in a branch the results that the fan-in receives at its end. */
function noteInBranch(
  cursor: CursorDraft,
  nodeId: string,
  outcome: Outcome,
  results: Outcome['context_updates'],
): void {
  cursor.completed = cursor.completed.push(nodeId);
  const own = valuesSetBy(outcome);
  if (own === undefined && results === undefined) return;
  const updates = { ...own, ...results };
  for (const [key, value] of Object.entries(updates)) cursor.updates = cursor.updates.set(key, value);
}

function countTerminalFailure(draft: Draft, cursorId: string, nodeId: string, outcome: Outcome): void {
  const isTerminal = outcome.status === 'fail' && outcome.retryable === false;
  const ofNode = draft.terminalFailures.get(nodeId);
  if (!isTerminal && ofNode === undefined) return;
  const before = ofNode?.get(cursorId);
  const reason = isTerminal ? (outcome.failure_reason ?? '') : '';
  const inARow = before?.reason === reason ? before.count : 0;
  const failures = ofNode ?? persistentMap<string, TerminalFailure>();
  const counted = failures.set(cursorId, { reason, count: isTerminal ? inARow + 1 : 0 });
  draft.terminalFailures = draft.terminalFailures.set(nodeId, counted);
}
