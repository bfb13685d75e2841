import type { Program } from '../../graph/program.js';
import type {
  EdgeSelected,
  EventHeader,
  InterviewCompleted,
  InterviewTimeout,
  ParallelBranchStarted,
  PipelineFailed,
  RunEvent,
  StageCompleted,
  StageFailed,
  StageSkipped,
  StageStarted,
} from '../../machine/event.js';
import { mainCursor } from '../../machine/state.js';
import { shortOutcome } from './short-outcome.js';
import { type SeenPart, type Stay, ThreadMarks, type ThreadMarksData, type Visit } from './thread-marks.js';

/** Event for the preamble of later stages: `StageStarted` only after a crash. */
export type HistoryEvent = EventHeader &
  (SettledStage | StageStarted | EdgeSelected | InterviewCompleted | InterviewTimeout | PipelineFailed);

export type SettledStage = StageCompleted | StageSkipped | StageFailed;

export interface HistoryCounts {
  /** Number of settled visits, with any outcome. */
  readonly stages: number;
  /** Number of those that failed. */
  readonly failures: number;
  /** Number of attempts that were retried. */
  readonly retries: number;
}

export interface Past {
  /** Events, the latest first; of a long past the latest events, and the latest visit of each node. */
  readonly events: readonly HistoryEvent[];
  readonly counts: HistoryCounts;
  /** Number of the event of the latest join, which sets values without an outcome; 0 if there was none. */
  readonly joinedAt: number;
}

/** The past as plain data. */
export interface RunHistoryData {
  readonly lines: ReadonlyMap<string, LineData>;
  readonly threads: ThreadMarksData;
}

/** Maximum of events in a line, and the number that is left when it is exceeded. */
const capacity = 512;
const kept = 320;
/** Numbers of the latest events that are kept in any case, and of answers of people besides. */
const latestKept = 128;
const answersKept = 32;

/**
 * Past of a run for the preambles of stages (§5.4): a fold of its events in bounded space, and in bounded
 * time for each. The main line and every branch have separate pasts. A branch sees what was before it,
 * never what its siblings do at the same time, so that its preamble does not depend on their speed; the
 * stages after a join see the work of the branches.
 */
export class RunHistory {
  readonly #program: Program;
  readonly #lines = new Map<string, Line>();
  readonly #threads: ThreadMarks;

  /** @param data of the past so far */
  constructor(program: Program, data?: RunHistoryData) {
    this.#program = program;
    this.#threads = new ThreadMarks(data?.threads);
    for (const [id, line] of data?.lines ?? []) this.#lines.set(id, Line.ofData(line));
  }

  get data(): RunHistoryData {
    return {
      lines: new Map([...this.#lines].map(([id, line]) => [id, line.data])),
      threads: this.#threads.data,
    };
  }

  /** Call with every event of the run, those of its journal first when it is resumed. */
  add(event: RunEvent): void {
    switch (event.type) {
      case 'StageCompleted':
      case 'StageSkipped':
      case 'StageFailed':
        return this.#settled(event);
      case 'StageStarted':
        if (event.resumed) this.#line(event.branch).push(event);
        if (event.thread_id !== undefined) this.#began(event);
        return;
      case 'SessionStarted':
        return this.#threads.sessionStarted(event, this.#line(event.branch).stay);
      case 'EdgeSelected':
        if (isJump(event)) this.#line(event.branch).push(event);
        return;
      case 'InterviewCompleted':
      case 'InterviewTimeout':
      case 'PipelineFailed':
        return this.#line(event.branch).push(event);
      case 'ParallelStarted':
        this.#line(event.branch).forkedAt = event.seq;
        return;
      case 'ParallelBranchStarted':
        return this.#fork(event);
      case 'ParallelCompleted':
        return this.#joined(this.#line(event.branch), event.seq);
      case 'PipelineResumed':
        // A run that continues elsewhere abandons its branches.
        if (event.node_id !== undefined) this.#join(this.#line(undefined));
        return;
      case 'LoopRestarted':
        this.#threads.clear();
        return this.#lines.clear();
    }
  }

  /**
   * What the conversation of a thread knows of the past of a stage (SEMANTICS 124); undefined if it knows nothing of it, or if
   * nobody has said so.
   */
  seenBy(thread: string, branch: string, visit: Visit): SeenPart | undefined {
    return this.#threads.seenBy(thread, this.#lines.get(branch)?.begunAt ?? 0, visit);
  }

  /** Past for a stage of this branch, or of the main line. */
  pastOf(branch: string): Past {
    const events: HistoryEvent[] = [];
    const counts = { stages: 0, failures: 0, retries: 0 };
    let joinedAt = 0;
    for (let line = this.#lines.get(branch); line !== undefined; ) {
      for (let index = line.events.length - 1; index >= 0 && events.length < capacity; index -= 1) {
        const event = line.events[index];
        if (event !== undefined) events.push(event);
      }
      counts.stages += line.stages;
      counts.failures += line.failures;
      counts.retries += line.retries;
      joinedAt = Math.max(joinedAt, line.joinedAt);
      line = line.parent === undefined ? undefined : this.#lines.get(line.parent);
    }
    return { events, counts, joinedAt };
  }

  #settled(event: SettledStage & EventHeader): void {
    const doesNothing = this.#program.nodes.get(event.node_id)?.handler.instant === true;
    if (doesNothing && event.outcome.status !== 'fail') return;
    const line = this.#line(event.branch);
    if (event.type === 'StageFailed' && event.will_retry) line.retries += 1;
    else line.stages += 1;
    if (event.type === 'StageFailed' && !event.will_retry) line.failures += 1;
    const outcome = shortOutcome(event.outcome);
    line.push(outcome === event.outcome ? event : { ...event, outcome });
  }

  /** Notes where a stage of a thread begins: its prompt tells what was before. */
  #began({ node_id: nodeId, visit, seq, branch, thread_id: thread = '' }: StageStarted & EventHeader): void {
    const line = this.#line(branch);
    const { stay } = line;
    if (stay?.nodeId === nodeId && stay.visit === visit && stay.thread === thread) return;
    const { begunAt, rootBegunAt } = line;
    line.stay = { nodeId, visit, thread, seq, begunAt, rootBegunAt, hasPast: this.#hasPast(line) };
  }

  #hasPast(line: Line): boolean {
    for (let at: Line | undefined = line; at !== undefined; ) {
      if (at.events.length > 0) return true;
      at = at.parent === undefined ? undefined : this.#lines.get(at.parent);
    }
    return false;
  }

  #fork({ branch, parent, seq }: ParallelBranchStarted & EventHeader): void {
    const from = this.#line(parent);
    this.#lines.set(branch, new Line(parent ?? mainCursor, seq, from.rootBegunAt || from.forkedAt || seq));
    from.fork(branch);
  }

  #line(branch: string | undefined): Line {
    const id = branch ?? mainCursor;
    const known = this.#lines.get(id);
    if (known !== undefined) return known;
    const line = new Line(id === mainCursor ? undefined : mainCursor, 0, 0);
    this.#lines.set(id, line);
    return line;
  }

  #joined(parent: Line, seq: number): void {
    this.#join(parent);
    parent.joinedAt = seq;
  }

  #join(parent: Line): void {
    for (const id of parent.takeBranches()) {
      const branch = this.#lines.get(id);
      if (branch === undefined) continue;
      this.#join(branch);
      this.#lines.delete(id);
      parent.append(branch);
    }
  }
}

function isJump({ reason }: EdgeSelected): boolean {
  return reason === 'retry_target' || reason === 'fallback_retry_target' || reason === 'goal_gate';
}

type LineData = Pick<
  Line,
  | 'parent'
  | 'begunAt'
  | 'rootBegunAt'
  | 'stay'
  | 'events'
  | 'stages'
  | 'failures'
  | 'retries'
  | 'joinedAt'
  | 'forkedAt'
> & { readonly branches: readonly string[] | undefined };

/** Past of the main line or of one branch, the oldest event first. */
class Line {
  readonly parent: string | undefined;
  /** Number of the event with which it began, and with which the outermost parallel node around it did; 0 for the main line. */
  readonly begunAt: number;
  readonly rootBegunAt: number;
  /** Its latest visit of a stage that has a thread. */
  stay: Stay | undefined;
  events: HistoryEvent[] = [];
  stages = 0;
  failures = 0;
  retries = 0;
  /** Number of the event of its latest join. */
  joinedAt = 0;
  /** Number of the event with which its latest parallel node began; its branches may begin one after the other. */
  forkedAt = 0;
  #branches: string[] | undefined;

  constructor(parent: string | undefined, begunAt: number, rootBegunAt: number) {
    this.parent = parent;
    this.begunAt = begunAt;
    this.rootBegunAt = rootBegunAt;
  }

  static ofData({ parent, begunAt, rootBegunAt, branches, events, ...counts }: LineData): Line {
    const line = Object.assign(new Line(parent, begunAt, rootBegunAt), counts, { events: [...events] });
    line.#branches = branches && [...branches];
    return line;
  }

  get data(): LineData {
    const { parent, begunAt, rootBegunAt, stay, events, stages, failures, retries, joinedAt, forkedAt } =
      this;
    return {
      parent,
      begunAt,
      rootBegunAt,
      stay,
      events,
      stages,
      failures,
      retries,
      joinedAt,
      forkedAt,
      branches: this.#branches,
    };
  }

  push(event: HistoryEvent): void {
    this.events.push(event);
    if (this.events.length > capacity) this.events = thinnedOut(this.events);
  }

  fork(branch: string): void {
    this.#branches ??= [];
    this.#branches.push(branch);
  }

  takeBranches(): readonly string[] {
    const branches = this.#branches ?? [];
    this.#branches = undefined;
    return branches;
  }

  append(branch: Line): void {
    for (const event of branch.events) this.push(event);
    this.stages += branch.stages;
    this.failures += branch.failures;
    this.retries += branch.retries;
  }
}

function thinnedOut(events: readonly HistoryEvent[]): HistoryEvent[] {
  const seen = new Set<string>();
  const result: HistoryEvent[] = [];
  let answers = 0;
  for (let index = events.length - 1; index >= 0 && result.length < kept; index -= 1) {
    const event = events[index];
    if (event === undefined) continue;
    const isFirstOfNode = 'outcome' in event && !isRetried(event) && !seen.has(event.node_id);
    if (isFirstOfNode) seen.add(event.node_id);
    const isAnswer = event.type === 'InterviewCompleted';
    if (isAnswer) answers += 1;
    if (events.length - index <= latestKept || isFirstOfNode || (isAnswer && answers <= answersKept))
      result.push(event);
  }
  return result.reverse();
}

function isRetried(event: SettledStage): boolean {
  return event.type === 'StageFailed' && event.will_retry;
}

/** Past of a run, empty by default; undefined for a pipeline none of whose stages receives it. */
export function historyOf(program: Program, data?: RunHistoryData): RunHistory | undefined {
  if (![...program.nodes.values()].some(({ handler }) => handler.llm)) return undefined;
  return new RunHistory(program, data);
}
