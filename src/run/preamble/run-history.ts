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

/** Event for the preamble of later stages: `StageStarted` only after a crash. */
export type HistoryEvent =
  | SettledStage
  | StageStarted
  | EdgeSelected
  | InterviewCompleted
  | InterviewTimeout
  | PipelineFailed;

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

  constructor(program: Program) {
    this.#program = program;
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
        // A run that continues elsewhere abandons its branches.
        if (event.node_id !== undefined) this.#join(this.#line(undefined));
        return;
      case 'LoopRestarted':
        return this.#lines.clear();
    }
  }

  /** Past for a stage of this branch, or of the main line. */
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

/** Past of the main line or of one branch, the oldest event first. */
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

/** Past in a journal; undefined for a pipeline none of whose stages receives it. */
export function historyOf(program: Program, events: Iterable<RunEvent> = []): RunHistory | undefined {
  if (![...program.nodes.values()].some(({ handler }) => handler.llm)) return undefined;
  const history = new RunHistory(program);
  for (const event of events) history.add(event);
  return history;
}
