import type { Program } from '../../graph/program.js';
import type {
  EdgeSelected,
  InterviewCompleted,
  InterviewTimeout,
  PipelineFailed,
  RunEvent,
  StageCompleted,
  StageFailed,
  StageSkipped,
  StageStarted,
} from '../../machine/event.js';
import { mainCursor } from '../../machine/state.js';
import { shortOutcome } from './short-outcome.js';

/** What is worth telling a later stage. Of the stages only those that did something; `StageStarted` only after a crash. */
export type HistoryEvent =
  | SettledStage
  | StageStarted
  | EdgeSelected
  | InterviewCompleted
  | InterviewTimeout
  | PipelineFailed;

export type SettledStage = StageCompleted | StageSkipped | StageFailed;

export interface HistoryCounts {
  /** Visits that have settled, however they did. */
  readonly stages: number;
  /** Those of them that failed. */
  readonly failures: number;
  /** Attempts that another one followed. */
  readonly retries: number;
}

export interface Past {
  /** The latest first; of a long past the latest events, and the latest visit of each node. */
  readonly events: readonly HistoryEvent[];
  readonly counts: HistoryCounts;
}

/** How many events a line may hold, and how many are left when it has come to hold more. */
const capacity = 512;
const kept = 320;
/** Of those kept, how many are the latest whatever they are, and how many answers of people are kept besides. */
const latestKept = 128;
const answersKept = 32;

/**
 * The past of a run, as far as stages are told of it (§5.4): a fold of its events that takes a bounded place and a bounded
 * time for each. The main line and every branch have a past of their own. A branch sees what was before it, never what its
 * siblings do at the same time, so that what it is told does not hang on who was faster; the stages after a join see what
 * was done in the branches.
 */
export class RunHistory {
  readonly #program: Program;
  readonly #lines = new Map<string, Line>();

  constructor(program: Program) {
    this.#program = program;
  }

  /** To be called with every event of the run, those of its journal first when it is resumed. */
  add(event: RunEvent): void {
    switch (event.type) {
      case 'StageCompleted':
      case 'StageSkipped':
      case 'StageFailed':
        return this.#settled(event);
      case 'StageStarted':
        if (event.resumed) this.#line(event.branch).push(event);
        return;
      case 'EdgeSelected':
        if (isJump(event)) this.#line(event.branch).push(event);
        return;
      case 'InterviewCompleted':
      case 'InterviewTimeout':
      case 'PipelineFailed':
        return this.#line(event.branch).push(event);
      case 'ParallelBranchStarted':
        this.#lines.set(event.branch, new Line(event.parent ?? mainCursor));
        return this.#line(event.parent).fork(event.branch);
      case 'ParallelCompleted':
        return this.#join(this.#line(event.branch));
      case 'PipelineResumed':
        // Whoever continues elsewhere leaves the branches behind.
        if (event.node_id !== undefined) this.#join(this.#line(undefined));
        return;
      case 'LoopRestarted':
        return this.#lines.clear();
    }
  }

  /** What a stage of this branch, or of the main line, may know. */
  pastOf(branch: string): Past {
    const events: HistoryEvent[] = [];
    const counts = { stages: 0, failures: 0, retries: 0 };
    for (let line = this.#lines.get(branch); line !== undefined; ) {
      for (let index = line.events.length - 1; index >= 0 && events.length < capacity; index -= 1) {
        const event = line.events[index];
        if (event !== undefined) events.push(event);
      }
      counts.stages += line.stages;
      counts.failures += line.failures;
      counts.retries += line.retries;
      line = line.parent === undefined ? undefined : this.#lines.get(line.parent);
    }
    return { events, counts };
  }

  #settled(event: SettledStage): void {
    const doesNothing = this.#program.nodes.get(event.node_id)?.handler.instant === true;
    if (doesNothing && event.outcome.status !== 'fail') return;
    const line = this.#line(event.branch);
    if (event.type === 'StageFailed' && event.will_retry) line.retries += 1;
    else line.stages += 1;
    if (event.type === 'StageFailed' && !event.will_retry) line.failures += 1;
    const outcome = shortOutcome(event.outcome);
    line.push(outcome === event.outcome ? event : { ...event, outcome });
  }

  #line(branch: string | undefined): Line {
    const id = branch ?? mainCursor;
    const known = this.#lines.get(id);
    if (known !== undefined) return known;
    const line = new Line(id === mainCursor ? undefined : mainCursor);
    this.#lines.set(id, line);
    return line;
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

/** The past of the main line or of one branch, the oldest event first. */
class Line {
  readonly parent: string | undefined;
  events: HistoryEvent[] = [];
  stages = 0;
  failures = 0;
  retries = 0;
  #branches: string[] | undefined;

  constructor(parent: string | undefined) {
    this.parent = parent;
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

/** The past that a journal tells of; undefined for a pipeline none of whose stages is told of it. */
export function historyOf(program: Program, events: Iterable<RunEvent> = []): RunHistory | undefined {
  if (![...program.nodes.values()].some(({ handler }) => handler.llm)) return undefined;
  const history = new RunHistory(program);
  for (const event of events) history.add(event);
  return history;
}
