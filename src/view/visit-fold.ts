import type { Program } from '../graph/program.js';
import type {
  EdgeSelected,
  InterviewStarted,
  LogAppended,
  ModelUsed,
  RunEvent,
  StageCompleted,
  StageFailed,
  StageRetrying,
  StageSkipped,
  StageStarted,
  ToolCallStarted,
} from '../machine/event.js';
import { mainCursor } from '../machine/state.js';
import { addUsage, noUsage } from '../machine/usage.js';
import { headOf } from './cut-text.js';
import {
  keepLatest,
  noteAnswer,
  noteOutcome,
  noteOutput,
  noteQuestion,
  noteToolCall,
  noteToolResult,
} from './note-details.js';
import { StagePlaces } from './stage-places.js';
import { type AttemptRecord, shorten, type VisitRecord, visitRecord, wordsInRow } from './visit-record.js';
import { VisitWindow } from './visit-window.js';

/** What of a run is to be told. */
export interface VisitSelection {
  /** Of this node alone; of all by default. */
  readonly nodeId?: string;
  /** How many visits are kept at all: the latest. */
  readonly rows: number;
  /** Of how many of those more than a line is kept. */
  readonly details: number;
}

type At<Event> = Event & { readonly timestamp: string };
type Settled = StageCompleted | StageSkipped | StageFailed;

/** The visits of the stages of a run, as a fold over its events that takes no more room than what is asked for (§9.6). */
export class VisitFold {
  readonly #selection: VisitSelection;
  readonly #places: StagePlaces;
  readonly #window: VisitWindow;
  /** By branch: the latest visit, which may have settled. */
  readonly #current = new Map<string, VisitRecord>();
  /** By place: the latest visit, whose files are there. */
  readonly #latestAt = new Map<string, VisitRecord>();
  /** By branch: the one around it. */
  readonly #parents = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(nodes: Program['nodes'], selection: VisitSelection) {
    this.#selection = selection;
    this.#places = new StagePlaces(nodes);
    this.#window = new VisitWindow(selection);
  }

  /** In the order in which they began, the latest last. */
  get visits(): readonly VisitRecord[] {
    return this.#window.visits;
  }

  /** How many there were before those. */
  get omitted(): number {
    return this.#window.omitted;
  }

  /** To be told every event; a type that this version does not know changes nothing. */
  add(event: RunEvent): void {
    this.#places.add(event);
    switch (event.type) {
      case 'StageStarted':
        return this.#start(event);
      case 'StageCompleted':
      case 'StageSkipped':
        return this.#settle(event);
      case 'StageFailed':
        return event.will_retry ? this.#failAttempt(event) : this.#settle(event);
      case 'StageRetrying':
        return this.#wait(event);
      case 'StageSuspended':
        return this.#change(event.branch, (visit) => suspend(visit, event.timestamp));
      case 'StageOutput':
        return this.#change(event.branch, ({ details }) => details && noteOutput(details, event));
      case 'ToolCallStarted':
        return this.#callTool(event);
      case 'ToolCallCompleted':
        return this.#change(event.branch, ({ details }) => details && noteToolResult(details, event));
      case 'ModelUsed':
        return this.#use(event);
      case 'InterviewStarted':
        return this.#ask(event);
      case 'InterviewCompleted':
      case 'InterviewTimeout':
        return this.#change(event.branch, (visit) => {
          if (visit.details) noteAnswer(visit.details, event);
          if (visit.status === 'asking') visit.status = 'running';
        });
      case 'EdgeSelected':
        return this.#route(event);
      case 'LogAppended':
        return this.#log(event);
      case 'ParallelBranchStarted':
        this.#parents.set(event.branch, event.parent ?? mainCursor);
        return;
      case 'ParallelBranchCompleted':
        return this.#leave(event.branch, event.timestamp);
      case 'PipelineResumed':
        // Whoever goes on elsewhere leaves behind what was under way.
        return event.node_id === undefined ? undefined : this.#leaveAll(event.timestamp);
      case 'LoopRestarted':
        this.#leaveAll(event.timestamp);
        this.#parents.clear();
        return this.#current.clear();
      default:
        return;
    }
  }

  /** To be called behind the last event: what no living process works on does not run. @param isOver the run will not go on by itself */
  stop(isOver: boolean, at: string): void {
    for (const visit of this.#current.values()) {
      if (isOver) cutOff(visit, at);
      else if (isUnderWay(visit) && visit.status !== 'asking') suspend(visit, at);
    }
  }

  #start(event: At<StageStarted>): void {
    const branch = event.branch ?? mainCursor;
    const { nodeId } = this.#selection;
    const before = this.#current.get(branch);
    const isSame = before?.node_id === event.node_id && before.index === event.index;
    if (isSame) return beginAttempt(before, event);
    if (before !== undefined) cutOff(before, event.timestamp);
    const ordinal = (this.#counts.get(event.node_id) ?? 0) + 1;
    this.#counts.set(event.node_id, ordinal);
    if (nodeId !== undefined && event.node_id !== nodeId) {
      this.#current.delete(branch);
      return;
    }
    const place = this.#places.placeOf(event.branch, event.node_id);
    const visit = visitRecord(event, ordinal, { place, restart: this.#places.restarts });
    const earlier = this.#latestAt.get(place);
    if (earlier !== undefined) earlier.archivedAs = event.visit - 1;
    this.#latestAt.set(place, visit);
    this.#current.set(branch, visit);
    this.#window.push(visit);
    beginAttempt(visit, event);
  }

  #settle(event: At<Settled>): void {
    this.#change(event.branch, (visit) => {
      const { status, notes, failure_reason: reason, preferred_label } = event.outcome;
      endAttempt(visit, event);
      visit.status = status;
      visit.ended_at = event.timestamp;
      visit.notes = notes ?? null;
      visit.failure_reason = reason ?? (event.type === 'StageFailed' ? event.error : null);
      visit.preferred_label = preferred_label ?? null;
      if (visit.details) noteOutcome(visit.details, event.outcome);
      else shorten(visit);
    });
  }

  #failAttempt(event: At<StageFailed>): void {
    this.#change(event.branch, (visit) => {
      endAttempt(visit, event);
      visit.status = 'waiting';
      if (visit.details) visit.details.output = '';
    });
  }

  #wait(event: StageRetrying): void {
    this.#change(event.branch, (visit) => {
      visit.status = 'waiting';
      const last = visit.attempts.at(-1);
      if (last !== undefined) last.retry_delay_ms = event.delay;
    });
  }

  #callTool(event: ToolCallStarted): void {
    this.#change(event.branch, (visit) => {
      visit.tool_calls += 1;
      if (visit.details) noteToolCall(visit.details, event);
    });
  }

  #use({ branch, usage }: ModelUsed): void {
    this.#change(branch, (visit) => {
      visit.usage = addUsage(visit.usage ?? noUsage, usage);
    });
  }

  #ask(event: At<InterviewStarted>): void {
    this.#change(event.branch, (visit) => {
      visit.status = 'asking';
      if (visit.details) noteQuestion(visit.details, event);
    });
  }

  #route({ branch, from, to, reason, label, condition, loop_restart }: EdgeSelected): void {
    this.#change(branch, (visit) => {
      if (visit.node_id !== from) return;
      const why = { label: label ?? null, condition: condition ?? null, reason };
      visit.next = { to, ...why, loop_restart: loop_restart === true };
    });
  }

  #log({ node_id, level, message, timestamp: at }: At<LogAppended>): void {
    if (node_id === undefined) return;
    const visit = [...this.#current.values()].findLast((one) => one.node_id === node_id);
    if (visit?.details) keepLatest(visit.details.log, { level, message, at });
  }

  #change(branch: string | undefined, change: (visit: VisitRecord) => void): void {
    const visit = this.#current.get(branch ?? mainCursor);
    if (visit !== undefined) change(visit);
  }

  /** Of a branch that was stopped, stages may be left that never settle. */
  #leave(branch: string, at: string): void {
    this.#change(branch, (visit) => cutOff(visit, at));
    for (const [inner, outer] of this.#parents) if (outer === branch) this.#leave(inner, at);
    this.#current.delete(branch);
    this.#parents.delete(branch);
  }

  #leaveAll(at: string): void {
    for (const visit of this.#current.values()) cutOff(visit, at);
  }
}

function beginAttempt(visit: VisitRecord, { attempt, timestamp: started_at }: At<StageStarted>): void {
  endUnfinished(visit, started_at);
  visit.status = 'running';
  visit.ended_at = null;
  keepLatest(visit.attempts, {
    attempt,
    started_at,
    ended_at: null,
    status: 'running',
    error: null,
    retry_delay_ms: null,
  });
}

function endAttempt(visit: VisitRecord, event: At<Settled>): void {
  const last = visit.attempts.at(-1);
  if (last === undefined) return;
  last.status = event.outcome.status;
  last.ended_at = event.timestamp;
  last.error = event.type === 'StageFailed' ? headOf(event.error, wordsInRow) : null;
}

function suspend(visit: VisitRecord, at: string): void {
  if (!isUnderWay(visit)) return;
  endUnfinished(visit, at);
  visit.status = 'suspended';
}

function cutOff(visit: VisitRecord, at: string): void {
  if (!isUnderWay(visit)) return;
  endUnfinished(visit, at);
  visit.status = 'cut_off';
  visit.ended_at = at;
}

function endUnfinished(visit: VisitRecord, at: string): void {
  const last: AttemptRecord | undefined = visit.attempts.at(-1);
  if (last?.status !== 'running') return;
  last.status = 'cut_off';
  last.ended_at = at;
}

function isUnderWay({ status }: VisitRecord): boolean {
  return status === 'running' || status === 'waiting' || status === 'asking' || status === 'suspended';
}
