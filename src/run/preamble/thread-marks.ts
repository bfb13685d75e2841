import type { SessionStarted } from '../../machine/event.js';

/** Visit of a stage. */
export interface Visit {
  readonly nodeId: string;
  readonly visit: number;
}

/** Visit of a stage of a thread, and its place in the past. */
export interface Stay extends Visit {
  readonly thread: string;
  /** Number of the event with which it began; its prompt tells of the events before. */
  readonly seq: number;
  /** Numbers of the events with which its branch began, and the outermost parallel node around it; 0 on the main line. */
  readonly begunAt: number;
  readonly rootBegunAt: number;
  /** True if something was before it, so that its prompt describes the run. */
  readonly hasPast: boolean;
}

/** What the conversation of a thread knows of the past. */
export interface SeenPart extends Visit {
  /** Number of the last event that it knows. */
  readonly seq: number;
  /** False if no prompt in it describes the run as a whole, because it began with the run. */
  readonly knowsRun: boolean;
}

/** Latest stage that a conversation includes. */
interface Mark extends Stay {
  readonly session: string;
  readonly knowsRun: boolean;
  /** The one before, for further attempts of this visit: a backend may leave out the attempts before. */
  readonly before: Mark | undefined;
}

/** Marks of a run as plain data. */
export type ThreadMarksData = ReadonlyMap<string, Mark>;

/**
 * Marks how far the conversations of threads know the past (SEMANTICS 124): up to the beginning of the latest stage that they
 * include, as their backends report it. In doubt it is less, so that a prompt repeats something rather than leaving it out.
 */
export class ThreadMarks {
  readonly #marks: Map<string, Mark>;

  constructor(data: ThreadMarksData = new Map()) {
    this.#marks = new Map(data);
  }

  get data(): ThreadMarksData {
    return this.#marks;
  }

  /** @param stay visit of the stage that reports it */
  sessionStarted(event: SessionStarted, stay: Stay | undefined): void {
    const { thread_id: thread, includes_stage: isIncluded } = event;
    const session = sessionOf(event);
    const latest = this.#marks.get(thread);
    if (isIncluded !== true) {
      if (latest !== undefined && latest.session !== session) this.#marks.delete(thread);
      return;
    }
    if (stay === undefined || stay.thread !== thread || stay.nodeId !== event.node_id) return;
    const before = latest !== undefined && isSame(latest, stay) ? latest.before : latest;
    const knowsRun = stay.hasPast || before?.knowsRun === true;
    this.#marks.set(thread, {
      ...stay,
      session,
      knowsRun,
      before: before && { ...before, before: undefined },
    });
  }

  /** @param begunAt number of the event with which the branch of the stage began */
  seenBy(thread: string, begunAt: number, visit: Visit): SeenPart | undefined {
    const latest = this.#marks.get(thread);
    const mark = latest !== undefined && isSame(latest, visit) ? latest.before : latest;
    if (mark === undefined) return undefined;
    // Where the branch runs again, its conversation has not seen what its siblings did the last time.
    const seq = mark.begunAt === begunAt ? mark.seq : mark.rootBegunAt;
    return { nodeId: mark.nodeId, visit: mark.visit, seq, knowsRun: mark.knowsRun };
  }

  clear(): void {
    this.#marks.clear();
  }
}

/** Name of a conversation; the amounts that agents have used so far follow a `#`. */
function sessionOf({ backend, session_id }: SessionStarted): string {
  return `${backend} ${session_id.split('#', 1)[0]}`;
}

function isSame(one: Visit, other: Visit): boolean {
  return one.nodeId === other.nodeId && one.visit === other.visit;
}
