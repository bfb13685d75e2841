import type { StageStatus } from '../../graph/stage-status.js';
import type {
  EventHeader,
  StageCompleted,
  StageFailed,
  StageSkipped,
  StageStarted,
} from '../../machine/event.js';
import type { Usage } from '../../machine/usage.js';
import { headOf } from '../cut-text.js';
import type { BranchTable } from './branch-table.js';
import type { Stream } from './stage-text.js';
import { noCalls, type ToolCalls } from './tool-calls.js';
import { keepLatest, type VisitDetails } from './visit-details.js';

/**
 * Status of a visit: `waiting` for its next attempt, `asking` a person, `branches` while those of a
 * parallel node run, `suspended` until the run is resumed, `cut_off` if it never ended.
 */
export type VisitStatus = UnderWay | 'cut_off' | StageStatus;
export type UnderWay = 'running' | 'waiting' | 'asking' | 'branches' | 'suspended';

/** Visit of a stage (§3.2). Times are milliseconds since 1970. */
export interface VisitRecord {
  readonly nodeId: string;
  /** The label of the node. */
  readonly name: string;
  /** Ordinal among all visits of the node, from 1; restarts included. */
  readonly visit: number;
  /** Ordinal since the last restart, as in events and archives of files. */
  readonly entered: number;
  readonly index: number;
  readonly restart: number;
  readonly branch: string | undefined;
  readonly startedAt: number;
  endedAt: number | undefined;
  status: VisitStatus;
  /** Attempt that runs, or is waited for. */
  attempt: number;
  /** Time at which it entered its status while it is under way, ISO 8601. */
  since: string;
  /** Start of the next attempt, or of the next request to a model, ISO 8601. */
  until: string | null;
  /** What it does after a failed request to a model: `waiting 20 s after HTTP 429`. */
  doing: string | undefined;
  /** Tool calls of its model since the model last said something. */
  calls: ToolCalls;
  /** Output of its model in this attempt, while it is under way and the scope includes it. */
  stream: Stream | undefined;
  /** Latest hundred attempts. */
  readonly attempts: AttemptRecord[];
  notes: string | undefined;
  failureReason: string | undefined;
  preferredLabel: string | undefined;
  /** True if its outcome was simulated or scripted (SEMANTICS 120). */
  simulated: boolean;
  next: NextStage | undefined;
  usage: Usage | undefined;
  toolCalls: number;
  /** Path of the stage's files, relative to the run directory. */
  place: string;
  /**
   * Number of the `visit-<n>` to which the next visit with this path has moved them (SEMANTICS 71a);
   * undefined for the latest one.
   */
  archivedAs: number | undefined;
  /** Undefined for a visit that is kept as a line only. */
  details: VisitDetails | undefined;
  /** Branches of a visit to a parallel node, if the scope of the view includes them. */
  branches: BranchTable | undefined;
}

export interface AttemptRecord {
  readonly attempt: number;
  readonly startedAt: number;
  endedAt: number | undefined;
  status: 'running' | 'cut_off' | StageStatus;
  error: string | undefined;
  retryDelayMs: number | undefined;
}

/** Transition from a stage, with the reason. */
export interface NextStage {
  readonly to: string;
  readonly label: string | null;
  readonly condition: string | null;
  readonly reason: string;
  readonly loop_restart: boolean;
}

/** Characters of an outcome's texts in a line. */
const wordsInRow = 500;

export function beginAttempt(
  visit: VisitRecord,
  { attempt, timestamp }: StageStarted & EventHeader,
  time: number,
): void {
  endUnfinished(visit, time);
  visit.status = 'running';
  visit.endedAt = undefined;
  visit.attempt = attempt;
  visit.since = timestamp;
  visit.calls = noCalls;
  continueWork(visit);
  keepLatest(visit.attempts, {
    attempt,
    startedAt: time,
    endedAt: undefined,
    status: 'running',
    error: undefined,
    retryDelayMs: undefined,
  });
}

/** Ends a pause between two requests. */
export function continueWork(visit: VisitRecord): void {
  visit.until = null;
  visit.doing = undefined;
}

export function endAttempt(
  visit: VisitRecord,
  event: (StageCompleted | StageSkipped | StageFailed) & EventHeader,
): void {
  continueWork(visit);
  const last = visit.attempts.at(-1);
  if (last === undefined) return;
  last.status = event.outcome.status;
  last.endedAt = Date.parse(event.timestamp);
  last.error = event.type === 'StageFailed' ? headOf(event.error, wordsInRow) : undefined;
}

/** Marks a visit that never ends. */
export function cutOff(visit: VisitRecord, time: number): void {
  if (!isUnderWay(visit.status)) return;
  endUnfinished(visit, time);
  continueWork(visit);
  visit.status = 'cut_off';
  visit.endedAt = time;
}

export function endUnfinished({ attempts }: VisitRecord, time: number): void {
  const last = attempts.at(-1);
  if (last?.status !== 'running') return;
  last.status = 'cut_off';
  last.endedAt = time;
}

const statesUnderWay: ReadonlySet<VisitStatus> = new Set<UnderWay>([
  'running',
  'waiting',
  'asking',
  'branches',
  'suspended',
]);

export function isUnderWay(status: VisitStatus): status is UnderWay {
  return statesUnderWay.has(status);
}

/** Reduces a visit to a line. */
export function shorten(visit: VisitRecord): void {
  const { notes, failureReason } = visit;
  visit.details = undefined;
  if (notes !== undefined) visit.notes = headOf(notes, wordsInRow);
  if (failureReason !== undefined) visit.failureReason = headOf(failureReason, wordsInRow);
}
