import { failuresWith, recoveredIn } from '../../machine/categorize-failure.js';
import type {
  EventHeader,
  StageCompleted,
  StageFailed,
  StageRetrying,
  StageSkipped,
  StageStarted,
  StageSuspended,
} from '../../machine/event.js';
import { mainCursor } from '../../machine/state.js';
import { placeOf } from '../placed-stages.js';
import { noteResult } from './apply-branches.js';
import { changeVisit } from './current-visit.js';
import { isoTime } from './iso-time.js';
import type { RunView } from './run-view.js';
import { emptyStream } from './stage-text.js';
import { noCalls } from './tool-calls.js';
import { visitDetails } from './visit-details.js';
import {
  beginAttempt,
  continueWork,
  cutOff,
  endAttempt,
  endUnfinished,
  isUnderWay,
  shorten,
  type VisitRecord,
} from './visit-record.js';

type Settled = (StageCompleted | StageSkipped | StageFailed) & EventHeader;

/** Begins an attempt of a stage, and its visit if that is new. */
export function stageStarted(view: RunView, event: StageStarted & EventHeader): void {
  view.usage.unpricedNow.delete(event.branch ?? '');
  const branch = event.branch ?? mainCursor;
  const time = Date.parse(event.timestamp);
  const before = view.current.get(branch);
  const isSame = before?.nodeId === event.node_id && before.index === event.index;
  if (before !== undefined && !isSame) cutOff(before, time);
  const visit = isSame ? before : beginVisit(view, event, time);
  beginAttempt(visit, event, time);
  // A stage that begins again repeats the question at which it was interrupted.
  if (view.questions.has(branch)) visit.status = 'asking';
  visit.stream = view.scope.text > 0 ? emptyStream() : undefined;
}

function beginVisit(view: RunView, event: StageStarted & EventHeader, time: number): VisitRecord {
  const { node_id: nodeId, branch = mainCursor } = event;
  const visits = (view.nodes.get(nodeId)?.visits ?? 0) + 1;
  const isKept = view.scope.nodeId === undefined || view.scope.nodeId === nodeId;
  const visit: VisitRecord = {
    nodeId,
    name: event.name,
    visit: visits,
    entered: event.visit,
    index: event.index,
    restart: view.restarts,
    branch: event.branch,
    startedAt: time,
    endedAt: undefined,
    status: 'running',
    attempt: event.attempt,
    since: event.timestamp,
    until: null,
    doing: undefined,
    calls: noCalls,
    stream: undefined,
    attempts: [],
    notes: undefined,
    failureReason: undefined,
    preferredLabel: undefined,
    simulated: false,
    next: undefined,
    usage: undefined,
    toolCalls: 0,
    place: '',
    archivedAs: undefined,
    details: isKept && view.scope.details > 0 ? visitDetails() : undefined,
    branches: undefined,
  };
  view.nodes.set(nodeId, { latest: visit, visits });
  view.entered.set(nodeId, event.visit);
  // Set again, to be last in the order.
  view.current.delete(branch);
  view.current.set(branch, visit);
  if (isKept) keepVisit(view, visit);
  return visit;
}

/**
 * Keeps a visit. Its files are where those of an earlier visit were, which are in the archive now
 * (SEMANTICS 71a).
 */
function keepVisit(view: RunView, visit: VisitRecord): void {
  const { nodes } = view.scope;
  if (nodes !== undefined) {
    visit.place = placeOf(view, nodes, visit.branch, visit.nodeId);
    const earlier = view.latestAt.get(visit.place);
    if (earlier !== undefined) earlier.archivedAs = visit.entered - 1;
    view.latestAt.set(visit.place, visit);
  }
  view.visits.push(visit);
}

export function stageSettled(view: RunView, event: Settled): void {
  const { node_id: nodeId, outcome, branch = mainCursor } = event;
  if (event.type === 'StageFailed') countFailure(view, event);
  endPlace(view, branch);
  if (nodeId !== view.exitId) view.completed += 1;
  view.lastSettled = nodeId;
  view.statuses.set(nodeId, outcome.status);
  noteSimulated(view, event);
  // One that was stopped with its branch has not succeeded (SEMANTICS 66b).
  const isStopped = event.type === 'StageSkipped' && event.stopped;
  const recovered = recoveredIn(view.failures.get(nodeId), branch);
  if (recovered !== undefined && outcome.status !== 'fail' && !isStopped)
    view.failures.set(nodeId, recovered);
  for (const id of outcome.artifacts ?? []) view.artifacts.add(id);
  changeVisit(view, event, (visit) => {
    endAttempt(visit, event);
    visit.stream = undefined;
    visit.status = outcome.status;
    visit.endedAt = Date.parse(event.timestamp);
    visit.notes = outcome.notes;
    visit.failureReason = outcome.failure_reason ?? (event.type === 'StageFailed' ? event.error : undefined);
    visit.preferredLabel = outcome.preferred_label;
    visit.simulated = event.simulated === true;
    noteResult(view, event, visit);
    if (visit.details === undefined) shorten(visit);
    // The model's answer is in a file now.
    else visit.details.output = '';
  });
}

/** Records if a stage was simulated; one that was stopped with its branch changes nothing (SEMANTICS 66b). */
function noteSimulated({ simulated }: RunView, event: Settled): void {
  if (event.type === 'StageSkipped' && event.stopped) return;
  if (event.simulated) simulated.add(event.node_id);
  else simulated.delete(event.node_id);
}

export function attemptFailed(view: RunView, event: StageFailed & EventHeader): void {
  countFailure(view, event);
  endPlace(view, event.branch ?? mainCursor);
  for (const id of event.outcome.artifacts ?? []) view.artifacts.add(id);
  changeVisit(view, event, (visit) => {
    endAttempt(visit, event);
    visit.status = 'waiting';
    visit.since = event.timestamp;
    if (visit.details !== undefined) visit.details.output = '';
  });
}

/** Ends an attempt, with its question and its branches. */
function endPlace(view: RunView, branch: string): void {
  view.endedAttempts += 1;
  view.questions.delete(branch);
  view.parallels.delete(branch);
}

function countFailure(view: RunView, event: StageFailed & EventHeader): void {
  const { node_id } = event;
  view.failedAttempts += 1;
  const failures = failuresWith(view.failures, event);
  // Set again, to be last in the order.
  view.failures.delete(node_id);
  view.failures.set(node_id, failures);
}

export function stageRetrying(view: RunView, event: StageRetrying & EventHeader): void {
  view.retries += 1;
  const failures = view.failures.get(event.node_id);
  if (failures !== undefined)
    view.failures.set(event.node_id, { ...failures, retries: failures.retries + 1 });
  changeVisit(view, event, (visit) => {
    visit.status = 'waiting';
    visit.attempt = event.attempt;
    visit.since = event.timestamp;
    visit.until = isoTime(Date.parse(event.timestamp) + event.delay);
    const last = visit.attempts.at(-1);
    if (last !== undefined) last.retryDelayMs = event.delay;
  });
}

export function stageSuspended(view: RunView, event: StageSuspended & EventHeader): void {
  changeVisit(view, event, (visit) => {
    if (!isUnderWay(visit.status)) return;
    endUnfinished(visit, Date.parse(event.timestamp));
    continueWork(visit);
    visit.status = 'suspended';
    visit.since = event.timestamp;
  });
}
