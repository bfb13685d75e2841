import type { Program } from '../../graph/program.js';
import { initialContext, mergeOutcome, withInputs, withUpdates } from './context.js';
import { type CursorDraft, type Draft, freeze, thaw } from './draft.js';
import type {
  EdgeSelected,
  InterviewStarted,
  LoopRestarted,
  PipelineFailed,
  PipelineResumed,
  PipelineStarted,
  RunEvent,
  StageCompleted,
  StageFailed,
  StageRetrying,
  StageSkipped,
  StageStarted,
  StageSuspended,
} from './event.js';
import {
  branchCompleted,
  branchStarted,
  parallelCompleted,
  parallelResults,
  parallelStarted,
} from './evolve-parallel.js';
import { failedForkOf, forkWithInputs } from './failed-fork.js';
import { type Answer, isInterruption } from './interview.js';
import type { Outcome } from './outcome.js';
import { orderedPersistentMap, persistentList, persistentMap, thawedList, thawedMap } from './persistent.js';
import { arrivingCursor, type Cursor, mainCursor, type RunState, type RunStatus } from './state.js';

/**
 * Folds one event into the state: the only way in which a state changes. Folding a whole journal from `initialState`
 * gives the state of its run.
 */
export function evolve(program: Program, state: RunState, event: RunEvent): RunState {
  const draft = thaw(state);
  evolveDraft(program, draft, event, Date.parse(event.timestamp));
  return freeze(draft);
}

/**
 * Folds many events at the cost of few copies.
 * @param onFolded told every event with the state right after it, which changes with the next one
 * @throws Error for an event that does not fit; `onMisfit` is told which
 */
export function evolveAll(
  program: Program,
  state: RunState,
  events: Iterable<RunEvent>,
  onMisfit: (event: RunEvent, error: unknown) => never,
  onFolded?: (event: RunEvent, state: RunState) => void,
): RunState {
  const draft = thaw(state);
  for (const event of events) {
    try {
      evolveDraft(program, draft, event, Date.parse(event.timestamp));
    } catch (error) {
      onMisfit(event, error);
    }
    onFolded?.(event, draft);
  }
  return freeze(draft);
}

/** The same on a draft, in place. @param at the event's time in milliseconds since 1970 */
export function evolveDraft(program: Program, draft: Draft, event: RunEvent, at: number): void {
  const { lastEventAt } = draft;
  draft.seq = event.seq;
  draft.lastEventAt = at;
  switch (event.type) {
    case 'PipelineStarted':
      return started(program, draft, event, at);
    case 'PipelineResumed':
      return resumed(draft, event, at, lastEventAt);
    case 'PipelinePausing':
      draft.pausing = event.reason;
      return;
    case 'PipelinePaused':
      return stopped(draft, 'paused', at, event.reason);
    case 'PipelineCompleted':
      return ended(draft, 'success', at);
    case 'PipelineFailed':
      return failed(draft, event, at);
    case 'PipelineCancelled':
      stopped(draft, 'cancelled', at);
      draft.endedAt = at;
      return;
    case 'StageStarted':
      return stageStarted(program, draft, event, at);
    case 'StageCompleted':
      return stageSettled(program, draft, event);
    case 'StageSkipped':
      return event.stopped ? stageStopped(program, draft, event) : stageSettled(program, draft, event);
    case 'StageFailed':
      return event.will_retry ? attemptFailed(draft, event) : stageSettled(program, draft, event);
    case 'StageRetrying':
      return stageRetrying(program, draft, event, at);
    case 'StageSuspended':
      return stageSuspended(draft, event);
    case 'EdgeSelected':
      return edgeSelected(draft, event);
    case 'LoopRestarted':
      return restarted(program, draft, event);
    case 'ParallelStarted':
      return parallelStarted(cursorOf(draft, event.branch), event, at);
    case 'ParallelBranchStarted':
      return branchStarted(program, draft, event, at);
    case 'ParallelBranchCompleted':
      return branchCompleted(program, draft, event);
    case 'ParallelCompleted':
      return parallelCompleted(cursorOf(draft, event.branch), event);
    case 'InterviewStarted':
      return questionAsked(draft, event, at);
    case 'InterviewCompleted':
    case 'InterviewTimeout':
      return questionAnswered(draft, event.branch, event.question_id, event.answer);
    case 'CheckpointSaved':
      return;
    case 'LogAppended':
      draft.logs = draft.logs.push(event.message);
      return;
  }
}

function cursorOf(draft: Draft, branch: string | undefined): CursorDraft {
  const cursor = draft.cursors.get(branch ?? mainCursor);
  if (cursor === undefined) throw new Error(`the run has no branch "${branch ?? 'main'}"`);
  return cursor;
}

function started(program: Program, draft: Draft, event: PipelineStarted & RunEvent, at: number): void {
  draft.runId = event.run_id;
  draft.status = 'running';
  draft.startedAt = at;
  draft.workedSince = at;
  draft.inputs = event.inputs;
  draft.maxSteps = event.max_steps;
  const context = initialContext(program.graph.attributes, event.inputs);
  draft.cursors.set(mainCursor, arrivingCursor(mainCursor, program.startId, context));
}

/**
 * A failed run goes back to the stage that failed, with fresh retries (SEMANTICS 66b, 85); any run may be told to go on
 * somewhere else, which ends all its branches.
 * @param lastEventAt until when a run that was cut off is known to have been worked on
 */
function resumed(draft: Draft, event: PipelineResumed, at: number, lastEventAt: number): void {
  const inputs = event.inputs ?? {};
  const { failure } = draft;
  if (draft.status === 'running') stopped(draft, 'running', lastEventAt);
  if (failure?.kind === 'timeout') draft.workedBefore = 0;
  draft.status = 'running';
  draft.endedAt = undefined;
  draft.failure = undefined;
  draft.pausedReason = undefined;
  draft.pausing = undefined;
  draft.workedSince = at;
  for (const cursor of draft.cursors.values()) {
    cursor.resumedWithoutSession = true;
    // What the engine itself asked about a stage is asked again; the stage does not simply run.
    const asked = cursor.question?.question;
    if (cursor.phase === 'suspended' && asked !== undefined && isInterruption(asked))
      cursor.phase = 'interrupted';
  }
  draft.maxSteps = event.max_steps ?? draft.maxSteps;
  draft.inputs = { ...draft.inputs, ...inputs };
  for (const cursor of draft.cursors.values()) cursor.context = withInputs(cursor.context, inputs);
  if (event.node_id === undefined && failure !== undefined && staysInPlace(failure)) {
    if (failure.kind === 'limit') cursorOf(draft, failure.branch).visitIsExempt = true;
    return;
  }
  const nodeId = event.node_id ?? failure?.resumeAt;
  if (nodeId === undefined) return;
  const main = cursorOf(draft, undefined);
  const { context, fidelity, resumedWithoutSession } = main;
  const goesOnThere = event.node_id === undefined && main.failedFork?.nodeId === nodeId;
  const failedFork = goesOnThere ? forkWithInputs(main.failedFork, inputs) : undefined;
  const cursor = { ...arrivingCursor(mainCursor, nodeId, context), fork: undefined, failedFork };
  draft.cursors.clear();
  draft.cursors.set(mainCursor, { ...cursor, visitIsExempt: true, fidelity, resumedWithoutSession });
}

/** After such a failure every cursor stays where it is, and resuming goes on with all of them. */
function staysInPlace({ kind, branch }: Pick<NonNullable<RunState['failure']>, 'kind' | 'branch'>): boolean {
  return kind === 'timeout' || branch !== undefined;
}

/** Work on the run ends for now; the cursors stay where they are. */
function stopped(draft: Draft, status: RunStatus, at: number, reason?: string): void {
  draft.status = status;
  draft.pausing = undefined;
  draft.pausedReason = reason;
  draft.workedBefore += Math.max(0, at - draft.workedSince);
  draft.workedSince = at;
}

function ended(draft: Draft, status: RunStatus, at: number): void {
  stopped(draft, status, at);
  draft.endedAt = at;
  cursorOf(draft, undefined).phase = 'finished';
}

function failed(draft: Draft, event: PipelineFailed, at: number): void {
  const { kind, error: reason, node_id: nodeId, branch } = event;
  const failure = { kind, reason, nodeId, resumeAt: event.resume_at ?? nodeId, branch };
  draft.failure = failure;
  if (!staysInPlace(failure)) return ended(draft, 'fail', at);
  stopped(draft, 'fail', at);
  draft.endedAt = at;
}

function stageStarted(program: Program, draft: Draft, event: StageStarted, at: number): void {
  const { node_id: nodeId } = event;
  const cursor = cursorOf(draft, event.branch);
  cursor.nodeId = nodeId;
  cursor.phase = 'running';
  cursor.visit = event.visit;
  cursor.attempt = event.attempt;
  cursor.index = event.index;
  cursor.startedAt = at;
  cursor.outcome = undefined;
  cursor.wasCutOff = false;
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
  cursor.visitIsExempt = false;
  cursor.context = entered(cursor.context, nodeId, retryKey(program, nodeId));
  if (nodeId !== program.startId && nodeId !== program.exitId) draft.steps += 1;
  draft.nextIndex = event.index + 1;
  draft.path = draft.path.push(nodeId);
  draft.visits = draft.visits.set(nodeId, event.visit);
  if (draft.retries.get(nodeId) !== 0) draft.retries = draft.retries.set(nodeId, 0);
}

/** Of a context what changes when a node is entered; mostly little, in a loop nothing but the node. */
function entered(context: Cursor['context'], nodeId: string, key: string): Cursor['context'] {
  const named = context.set('current_node', nodeId);
  return named.get(key) === 0 ? named : named.set(key, 0);
}

const noAnswers = persistentMap<string, Answer>();

/** The context key of a retry counter; made once for each node. */
function retryKey(program: Program, nodeId: string): string {
  return program.nodes.get(nodeId)?.retryCountKey ?? `internal.retry_count.${nodeId}`;
}

function stageSettled(
  program: Program,
  draft: Draft,
  event: StageCompleted | StageSkipped | StageFailed,
): void {
  const { node_id: nodeId, outcome } = event;
  const cursor = cursorOf(draft, event.branch);
  const handler = program.nodes.get(nodeId)?.handler;
  const inherits = handler?.inheritsOutcome === true && outcome.status !== 'fail';
  const isExit = nodeId === program.exitId;
  const retries = outcome.status === 'fail' ? (draft.retries.get(nodeId) ?? 0) : 0;
  const results = cursor.fork === undefined ? undefined : parallelResults(program, cursor);
  cursor.context = mergeOutcome(cursor.context, outcome, inherits || isExit);
  const key = retryKey(program, nodeId);
  if (cursor.context.get(key) !== retries) cursor.context = cursor.context.set(key, retries);
  if (results !== undefined) cursor.context = withUpdates(cursor.context, results);
  if (cursor.branch !== undefined) noteInBranch(cursor, nodeId, outcome, results);
  if (cursor.fork !== undefined) cursor.failedFork = failedForkOf(program, nodeId, cursor.fork, outcome);
  cursor.phase = 'settled';
  cursor.fork = undefined;
  cursor.outcome = outcome;
  if (!inherits || cursor.routedOutcome === undefined) {
    cursor.routedOutcome = outcome;
    cursor.routedFrom = nodeId;
  }
  cursor.question = undefined;
  if (outcome.status !== 'skipped' && !isExit) draft.outcomes = draft.outcomes.set(nodeId, outcome);
  visitEnded(draft, nodeId, outcome, retries, isExit);
  for (const id of outcome.artifacts ?? []) draft.artifacts = draft.artifacts.set(id, true);
  countTerminalFailure(draft, nodeId, outcome);
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

/** A stage that was stopped with its branch leaves nothing behind: should that ever go on, it is where it was (SEMANTICS 66b). */
function stageStopped(program: Program, draft: Draft, event: StageSkipped): void {
  const { node_id: nodeId, outcome } = event;
  const cursor = cursorOf(draft, event.branch);
  const { fork, phase } = cursor;
  if (fork !== undefined) cursor.failedFork = failedForkOf(program, nodeId, fork, outcome);
  cursor.wasCutOff = fork === undefined && (phase === 'running' || phase === 'interrupted');
  cursor.phase = 'arriving';
  cursor.fork = undefined;
  cursor.question = undefined;
  visitEnded(draft, nodeId, outcome, 0, false);
}

/** What a branch tells the fan-in about itself in the end. */
function noteInBranch(
  cursor: CursorDraft,
  nodeId: string,
  outcome: Outcome,
  results: Outcome['context_updates'],
): void {
  cursor.completed = cursor.completed.push(nodeId);
  const updates = { ...outcome.context_updates, ...results };
  for (const [key, value] of Object.entries(updates)) cursor.updates = cursor.updates.set(key, value);
}

function countTerminalFailure(draft: Draft, nodeId: string, outcome: Outcome): void {
  const isTerminal = outcome.status === 'fail' && outcome.retryable === false;
  const before = draft.terminalFailures.get(nodeId);
  if (!isTerminal) {
    if (before !== undefined && before.count > 0)
      draft.terminalFailures = draft.terminalFailures.set(nodeId, { reason: '', count: 0 });
    return;
  }
  const reason = outcome.failure_reason ?? '';
  const count = before?.reason === reason ? before.count + 1 : 1;
  draft.terminalFailures = draft.terminalFailures.set(nodeId, { reason, count });
}

/** An attempt that another one follows leaves nothing behind but that it happened. */
function attemptFailed(draft: Draft, event: StageFailed): void {
  const cursor = cursorOf(draft, event.branch);
  cursor.phase = 'waiting';
  cursor.fork = undefined;
  cursor.attempt = event.attempt + 1;
  cursor.waitUntil = 0;
  cursor.retryAfterMs = event.outcome.retry_after_ms ?? 0;
  cursor.question = undefined;
}

function stageRetrying(program: Program, draft: Draft, event: StageRetrying, at: number): void {
  const cursor = cursorOf(draft, event.branch);
  const retries = event.attempt - 1;
  cursor.phase = 'waiting';
  cursor.attempt = event.attempt;
  cursor.waitUntil = at + event.delay;
  cursor.context = cursor.context.set(retryKey(program, event.node_id), retries);
  draft.retries = draft.retries.set(event.node_id, retries);
}

function stageSuspended(draft: Draft, event: StageSuspended): void {
  const cursor = cursorOf(draft, event.branch);
  cursor.phase = 'suspended';
  cursor.suspendedReason = event.reason;
}

function edgeSelected(draft: Draft, event: EdgeSelected): void {
  const cursor = cursorOf(draft, event.branch);
  if (event.reason === 'goal_gate') draft.goalGateRedirects += 1;
  cursor.nodeId = event.to;
  cursor.previousNode = event.from;
  cursor.incomingEdge = event.edge;
  if (event.reason !== 'join') cursor.failedFork = undefined;
  cursor.phase = event.loop_restart ? 'restarting' : 'arriving';
  cursor.outcome = undefined;
}

/** Everything begins afresh but what tells one execution from another: ordinals, scripts and answers go on (SEMANTICS 36, 86). */
function restarted(program: Program, draft: Draft, event: LoopRestarted): void {
  draft.restarts = event.restart;
  draft.steps = 0;
  draft.path = thawedList(persistentList());
  draft.completed = thawedList(persistentList());
  draft.lastCompleted = undefined;
  draft.outcomes = thawedMap(orderedPersistentMap());
  draft.statuses = thawedMap(persistentMap());
  draft.retries = thawedMap(persistentMap());
  draft.visits = thawedMap(persistentMap());
  draft.terminalFailures = thawedMap(persistentMap());
  draft.failedBranches = thawedMap(persistentMap());
  draft.goalGateRedirects = 0;
  const context = initialContext(program.graph.attributes, draft.inputs).set(
    'internal.restart_count',
    event.restart,
  );
  draft.cursors.clear();
  draft.cursors.set(mainCursor, arrivingCursor(mainCursor, event.node_id, context));
}

function questionAsked(draft: Draft, event: InterviewStarted, at: number): void {
  const cursor = cursorOf(draft, event.branch);
  cursor.question = { question: event.question, askedAt: at };
  if (isInterruption(event.question)) cursor.phase = 'interrupted';
}

function questionAnswered(
  draft: Draft,
  branch: string | undefined,
  questionId: string,
  answer: Answer,
): void {
  const cursor = cursorOf(draft, branch);
  draft.answers = draft.answers.set(cursor.nodeId, (draft.answers.get(cursor.nodeId) ?? 0) + 1);
  cursor.question = undefined;
  cursor.answers = cursor.answers.set(questionId, answer);
}
