import type { RunEvent } from '../../machine/event.js';
import { recordedEnd } from './recorded-path.js';
import type { RunPlaces } from './run-places.js';
import { withoutPlaces } from './run-places.js';

/**
 * Event in a form for comparison: as text, without anything that depends on time, place and the number of
 * resumes.
 */
export interface ComparableEvent {
  readonly text: string;
  readonly event: RunEvent;
}

/**
 * A journal in a form that can be compared with another one of the same pipeline: the events of the main line and of each branch,
 * in order, and the order in which all stages settled. Two journals are identical if these are the same. Left out are
 *
 * - times, numbers of events, the ids and directories of runs, the length of pauses between attempts, and the observations of
 *   managers;
 * - pauses, requests to pause and resumptions, and the progress of an attempt that was cut off and repeated; its prompt then has
 *   less of the past (§5.3), and is compared with its request;
 * - checkpoints, sessions, warnings about budgets, and entries of the log that are not warnings of a stage, or are about the files that
 *   git keeps;
 * - everything after an end from which the run was resumed, and the last choice of a run that was cut off.
 */
export function comparableJournal(
  events: readonly RunEvent[],
  places: RunPlaces,
): ReadonlyMap<string, readonly ComparableEvent[]> {
  const normalize = withoutPlaces(places);
  const lanes = new Lanes(normalize);
  for (const event of withoutLooseEnd(untilFirstEnd(events))) lanes.add(event);
  return lanes.finish();
}

function untilFirstEnd(events: readonly RunEvent[]): readonly RunEvent[] {
  const end = events.findIndex(({ type }) => ends.has(type));
  return end < 0 ? events : events.slice(0, end + 1);
}

const ends: ReadonlySet<RunEvent['type']> = new Set([
  'PipelineCompleted',
  'PipelineFailed',
  'PipelineCancelled',
]);

/**
 * Journal without its loose end: one that was cut off ends with a stage, because later decisions are made
 * again on resume.
 */
function withoutLooseEnd(events: readonly RunEvent[]): readonly RunEvent[] {
  if (recordedEnd(events).status !== 'unfinished') return events;
  const last = events.findLastIndex(({ type }) => type !== 'EdgeSelected' && !passedOver.has(type));
  return events.slice(0, last + 1);
}

/** Events that say nothing about the route of the run. */
const passedOver: ReadonlySet<RunEvent['type']> = new Set([
  'PipelineResumed',
  'PipelinePausing',
  'PipelinePaused',
  'StageSuspended',
  'SessionStarted',
  'StageSteered',
  'SteeringDelivered',
  'CheckpointSaved',
  'BudgetWarning',
  'BudgetExceeded',
]);

/** Attempt under way, with its acts so far. */
interface OpenAttempt {
  readonly key: string;
  readonly progress: ComparableEvent[];
  /** Its questions and their answers, apart from the rest: an open one survives an interruption. */
  readonly questions: ComparableEvent[];
}

const settledLane = 'the order of outcomes';

class Lanes {
  readonly #plain: (text: string) => string;
  readonly #lanes = new Map<string, ComparableEvent[]>();
  readonly #open = new Map<string, OpenAttempt>();
  readonly #logged = new Set<string>();
  #place = '';

  constructor(normalize: (text: string) => string) {
    this.#plain = normalize;
  }

  add(event: RunEvent): void {
    if (passedOver.has(event.type)) return;
    const lane = 'branch' in event && event.branch !== undefined ? event.branch : '';
    switch (event.type) {
      case 'StageStarted':
        return this.#begin(lane, event);
      case 'StageCompleted':
      case 'StageFailed':
      case 'StageSkipped':
        return this.#settle(lane, event);
      case 'ModelUsed':
        // Usage of a child is in its own journal.
        if (event.child_run === undefined) this.#tell(lane, event);
        return;
      case 'InterviewStarted':
        // A question before an interruption may be repeated.
        if (!this.#isAsking(lane, event.question.id)) this.#ask(lane, event);
        return;
      case 'InterviewCompleted':
      case 'InterviewTimeout':
        return this.#ask(lane, event);
      case 'StageOutput':
      case 'ToolCallStarted':
      case 'ToolCallCompleted':
      case 'RequestRetrying':
      case 'ConversationCompacting':
        return this.#tell(lane, event);
      case 'LogAppended':
        return this.#log(event);
      case 'LoopRestarted':
        this.#place = event.directory;
        return this.#push(lane, event);
      default:
        this.#push(lane, event);
    }
  }

  /** Adds attempts that are under way when the journal ends. */
  finish(): ReadonlyMap<string, readonly ComparableEvent[]> {
    for (const [lane, { progress, questions }] of this.#open)
      this.#lane(lane).push(...progress, ...questions);
    return this.#lanes;
  }

  #begin(lane: string, event: Extract<RunEvent, { type: 'StageStarted' }>): void {
    const key = JSON.stringify([event.index, event.attempt]);
    const before = this.#open.get(lane);
    if (before?.key !== key) {
      this.#push(lane, event);
      this.#open.set(lane, { key, progress: [], questions: [] });
      return;
    }
    // Made again after an interruption: its beginning is the first, its acts are the last ones. Its
    // questions stay.
    this.#open.set(lane, { ...before, progress: [] });
  }

  /** Records a question or answer; the last answer to a question counts. */
  #ask(lane: string, event: RunEvent): void {
    const questions = this.#open.get(lane)?.questions;
    const before = questions?.findIndex((other) => isAnswerTo(other.event, event)) ?? -1;
    if (before >= 0) questions?.splice(before, 1);
    questions?.push(this.#comparable(event));
  }

  #tell(lane: string, event: RunEvent): void {
    this.#open.get(lane)?.progress.push(this.#comparable(event));
  }

  #isAsking(lane: string, id: string): boolean {
    return this.#open.get(lane)?.questions.some(({ event }) => questionId(event) === id) ?? false;
  }

  #settle(lane: string, event: Extract<RunEvent, { readonly outcome: unknown }>): void {
    const open = this.#open.get(lane);
    this.#open.delete(lane);
    const isStopped = event.type === 'StageSkipped' && event.stopped === true;
    // The progress of a stopped attempt depends on time.
    if (!isStopped) this.#lane(lane).push(...(open?.progress ?? []), ...(open?.questions ?? []));
    this.#push(lane, event);
    if (isStopped) return;
    const { node_id, visit, attempt } = event;
    this.#lane(settledLane).push({ text: JSON.stringify([this.#place, node_id, visit, attempt]), event });
  }

  /** Records a log entry, which an interrupted attempt may repeat. */
  #log(event: Extract<RunEvent, { type: 'LogAppended' }>): void {
    // A replay does not use git.
    if (event.level !== 'warning' || event.node_id === undefined || event.about_files) return;
    const comparable = this.#comparable(event);
    if (this.#logged.has(comparable.text)) return;
    this.#logged.add(comparable.text);
    this.#lane(`the log of ${event.node_id}`).push(comparable);
  }

  #push(lane: string, event: RunEvent): void {
    this.#lane(lane).push(this.#comparable(event));
  }

  #comparable(event: RunEvent): ComparableEvent {
    const fields = Object.fromEntries(Object.entries(event).filter(([name]) => !leftOut.has(name)));
    const text = JSON.stringify(fields, (key, value: unknown) => (telemetry.test(key) ? undefined : value));
    return { text: this.#plain(text), event };
  }

  #lane(name: string): ComparableEvent[] {
    const existing = this.#lanes.get(name);
    if (existing !== undefined) return existing;
    const lane: ComparableEvent[] = [];
    this.#lanes.set(name, lane);
    return lane;
  }
}

function isAnswerTo(one: RunEvent, other: RunEvent): boolean {
  return 'question_id' in one && 'question_id' in other && one.question_id === other.question_id;
}

function questionId(event: RunEvent): string | undefined {
  return event.type === 'InterviewStarted' ? event.question.id : undefined;
}

/** Fields of events that are left out. */
const leftOut: ReadonlySet<string> = new Set([
  ...['seq', 'timestamp', 'run_id', 'description', 'duration', 'delay', 'resumed', 'degraded', 'fidelity'],
  ...['thread_id', 'commit', 'max_steps', 'budget_usd', 'budget_tokens', 'stage_budgets', 'exit'],
]);

const telemetry =
  /^stack\.child\.(?:active_stages?|last_stage|completed_count|retries|failures|artifacts|last_event)$/;
