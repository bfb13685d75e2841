import type { Program } from '../../graph/program.js';
import { initialContext, mergeOutcome, withInputs } from './context.js';
import type {
  EdgeSelected,
  EventHeader,
  InterviewStarted,
  PipelineFailed,
  PipelineResumed,
  PipelineStarted,
  RunEvent,
  StageCompleted,
  StageFailed,
  StageRetrying,
  StageSkipped,
  StageStarted,
} from './event.js';
import { type Answer, isInterruption } from './interview.js';
import type { Outcome } from './outcome.js';
import { persistentMap } from './persistent.js';
import {
  arrivingCursor,
  type Cursor,
  cursorNamed,
  mainCursor,
  type RunState,
  type RunStatus,
} from './state.js';

/**
 * Folds one event into the state: the only way in which a state changes. Folding a whole journal from `initialState`
 * gives the state of its run.
 */
export function evolve(program: Program, state: RunState, event: RunEvent): RunState {
  const next = { ...state, seq: event.seq };
  const at = Date.parse(event.timestamp);
  switch (event.type) {
    case 'PipelineStarted':
      return started(program, next, event, at);
    case 'PipelineResumed':
      return resumed(next, event);
    case 'PipelinePaused':
      return { ...next, status: 'paused', pausedReason: event.reason };
    case 'PipelineCompleted':
      return ended(next, 'success', at);
    case 'PipelineFailed':
      return failed(next, event, at);
    case 'PipelineCancelled':
      return { ...next, status: 'cancelled', endedAt: at };
    case 'StageStarted':
      return stageStarted(program, next, event, at);
    case 'StageCompleted':
    case 'StageSkipped':
      return stageSettled(program, next, event);
    case 'StageFailed':
      return event.will_retry ? attemptFailed(next, event) : stageSettled(program, next, event);
    case 'StageRetrying':
      return stageRetrying(next, event, at);
    case 'EdgeSelected':
      return edgeSelected(next, event);
    case 'InterviewStarted':
      return questionAsked(next, event, at);
    case 'InterviewCompleted':
    case 'InterviewTimeout':
      return questionAnswered(next, event.branch, event.question_id, event.answer);
    case 'CheckpointSaved':
      return next;
    case 'LogAppended':
      return { ...next, logs: state.logs.push(event.message) };
  }
}

function withCursor(state: RunState, branch: string | undefined, change: Partial<Cursor>): RunState {
  const cursor = cursorNamed(state, branch ?? mainCursor);
  const cursors = new Map(state.cursors).set(cursor.id, { ...cursor, ...change });
  return { ...state, cursors };
}

function started(
  program: Program,
  state: RunState,
  event: PipelineStarted & EventHeader,
  at: number,
): RunState {
  const context = initialContext(program.graph.attributes, event.inputs);
  return {
    ...state,
    runId: event.run_id,
    status: 'running',
    startedAt: at,
    inputs: event.inputs,
    maxSteps: event.max_steps,
    cursors: new Map([[mainCursor, arrivingCursor(mainCursor, program.startId, context)]]),
  };
}

/**
 * A failed run goes back to the stage that failed, with fresh retries (SEMANTICS 66b, 85); any run may be told to go on
 * somewhere else.
 */
function resumed(state: RunState, event: PipelineResumed): RunState {
  const inputs = event.inputs ?? {};
  const running: RunState = {
    ...state,
    status: 'running',
    endedAt: undefined,
    failure: undefined,
    pausedReason: undefined,
    maxSteps: event.max_steps ?? state.maxSteps,
    inputs: { ...state.inputs, ...inputs },
  };
  const context = withInputs(cursorNamed(state, mainCursor).context, inputs);
  const nodeId = event.node_id ?? state.failure?.resumeAt;
  if (nodeId === undefined) return withCursor(running, undefined, { context });
  return withCursor(running, undefined, {
    context,
    nodeId,
    phase: 'arriving',
    outcome: undefined,
    question: undefined,
    answers: persistentMap(),
    visitIsExempt: true,
  });
}

function ended(state: RunState, status: RunStatus, at: number): RunState {
  return withCursor({ ...state, status, endedAt: at }, undefined, { phase: 'finished' });
}

function failed(state: RunState, event: PipelineFailed, at: number): RunState {
  const { kind, error: reason, node_id: nodeId } = event;
  const failure = { kind, reason, nodeId, resumeAt: event.resume_at ?? nodeId };
  return { ...ended(state, 'fail', at), failure };
}

function stageStarted(program: Program, state: RunState, event: StageStarted, at: number): RunState {
  const cursor = cursorNamed(state, event.branch ?? mainCursor);
  const change = {
    nodeId: event.node_id,
    phase: 'running',
    visit: event.visit,
    attempt: event.attempt,
    index: event.index,
    startedAt: at,
    outcome: undefined,
  } as const;
  if (event.resumed) return withCursor(state, event.branch, change);
  if (event.attempt > 1) {
    return withCursor(state, event.branch, { ...change, question: undefined, answers: persistentMap() });
  }
  const context = cursor.context
    .set('current_node', event.node_id)
    .set(`internal.retry_count.${event.node_id}`, 0);
  const counts = event.node_id !== program.startId && event.node_id !== program.exitId;
  return {
    ...withCursor(state, event.branch, {
      ...change,
      context,
      question: undefined,
      answers: persistentMap(),
      visitIsExempt: false,
    }),
    steps: state.steps + (counts ? 1 : 0),
    nextIndex: event.index + 1,
    path: state.path.push(event.node_id),
    visits: state.visits.set(event.node_id, event.visit),
    retries: state.retries.set(event.node_id, 0),
  };
}

function stageSettled(
  program: Program,
  state: RunState,
  event: StageCompleted | StageSkipped | StageFailed,
): RunState {
  const { node_id: nodeId, outcome } = event;
  const cursor = cursorNamed(state, event.branch ?? mainCursor);
  const inherits = program.nodes.get(nodeId)?.handler.inheritsOutcome === true && outcome.status !== 'fail';
  const isExit = nodeId === program.exitId;
  const retries = outcome.status === 'fail' ? (state.retries.get(nodeId) ?? 0) : 0;
  const context = mergeOutcome(cursor.context, outcome, inherits || isExit).set(
    `internal.retry_count.${nodeId}`,
    retries,
  );
  return {
    ...withCursor(state, event.branch, {
      phase: 'settled',
      outcome,
      routedOutcome: inherits ? (cursor.routedOutcome ?? outcome) : outcome,
      routedFrom: inherits ? (cursor.routedFrom ?? nodeId) : nodeId,
      context,
      question: undefined,
    }),
    completed: isExit ? state.completed : state.completed.push(nodeId),
    lastCompleted: nodeId,
    outcomes: recordOutcome(state.outcomes, nodeId, outcome, isExit),
    statuses: state.statuses.set(nodeId, outcome.status),
    retries: state.retries.set(nodeId, retries),
    executions: state.executions.set(nodeId, (state.executions.get(nodeId) ?? 0) + 1),
  };
}

function recordOutcome(
  outcomes: RunState['outcomes'],
  nodeId: string,
  outcome: Outcome,
  isExit: boolean,
): RunState['outcomes'] {
  return outcome.status === 'skipped' || isExit ? outcomes : outcomes.set(nodeId, outcome);
}

/** An attempt that another one follows leaves nothing behind but that it happened. */
function attemptFailed(state: RunState, event: StageFailed): RunState {
  const executions = (state.executions.get(event.node_id) ?? 0) + 1;
  const next = { ...state, executions: state.executions.set(event.node_id, executions) };
  return withCursor(next, event.branch, {
    phase: 'waiting',
    attempt: event.attempt + 1,
    waitUntil: 0,
    question: undefined,
  });
}

function stageRetrying(state: RunState, event: StageRetrying, at: number): RunState {
  const cursor = cursorNamed(state, event.branch ?? mainCursor);
  const retries = event.attempt - 1;
  return {
    ...withCursor(state, event.branch, {
      phase: 'waiting',
      attempt: event.attempt,
      waitUntil: at + event.delay,
      context: cursor.context.set(`internal.retry_count.${event.node_id}`, retries),
    }),
    retries: state.retries.set(event.node_id, retries),
  };
}

function edgeSelected(state: RunState, event: EdgeSelected): RunState {
  const redirects = state.goalGateRedirects + (event.reason === 'goal_gate' ? 1 : 0);
  return withCursor({ ...state, goalGateRedirects: redirects }, event.branch, {
    nodeId: event.to,
    phase: 'arriving',
    outcome: undefined,
  });
}

function questionAsked(state: RunState, event: InterviewStarted, at: number): RunState {
  return withCursor(state, event.branch, {
    question: { question: event.question, askedAt: at },
    ...(isInterruption(event.question) && { phase: 'interrupted' as const }),
  });
}

function questionAnswered(
  state: RunState,
  branch: string | undefined,
  questionId: string,
  answer: Answer,
): RunState {
  const cursor = cursorNamed(state, branch ?? mainCursor);
  const answered = (state.answers.get(cursor.nodeId) ?? 0) + 1;
  return withCursor({ ...state, answers: state.answers.set(cursor.nodeId, answered) }, branch, {
    question: undefined,
    answers: cursor.answers.set(questionId, answer),
  });
}
