import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { RunEvent } from '../machine/event.js';
import { damaged } from './journal.js';
import { JournalDigest } from './journal-digest.js';
import { JournalTail } from './journal-tail.js';
import { readManifest } from './manifest.js';
import { holdsRun, runFiles } from './run-files.js';
import { isRequestPending, type RunOwner, runOwner } from './run-requests.js';
import type { Quality, RunResult } from './run-result.js';
import { type RunSummary, summarizeRun } from './summarize-run.js';
import type { FailureOverview, OpenQuestion, ParallelUnderWay, StageUnderWay } from './under-way.js';

/** `interrupted` where the journal says that the run goes on, but no living process executes it. */
export type OverviewStatus = 'running' | 'paused' | 'interrupted' | 'success' | 'fail' | 'cancelled';

/** What a run is doing, as `status --json` prints it: read from outside, whatever process executes it. */
export interface RunOverview {
  readonly run_id: string;
  readonly run_dir: string;
  readonly name: string;
  readonly goal: string;
  readonly status: OverviewStatus;
  /** Who executes it, and since when (ISO 8601). */
  readonly process: { readonly pid: number; readonly since: string } | null;
  /** What was asked of the run from outside, as long as it has not come to it. */
  readonly requested: 'pause' | 'cancel' | null;
  readonly start_time: string;
  readonly end_time: string | null;
  /** Milliseconds from start to end, or until now. */
  readonly duration_ms: number;
  readonly paused_reason: string | null;
  readonly failure_reason: string | null;
  readonly failed_node: string | null;
  /** Under way; of a run that nobody executes: what runs again when it is resumed. */
  readonly stages: readonly StageUnderWay[];
  readonly parallels: readonly ParallelUnderWay[];
  readonly questions: readonly OpenQuestion[];
  /** The stage that has settled last. */
  readonly last_stage: string | null;
  /** Visits that have settled, without start and exit, since the last restart. */
  readonly stages_done: number;
  readonly retries: number;
  readonly restarts: number;
  /** One entry a node, the latest failure last. */
  readonly failures: readonly FailureOverview[];
  /** So far, where the run has not ended (SEMANTICS 99). */
  readonly quality: Quality;
  readonly child_runs: readonly RunSummary[];
  /** The last event of the journal. */
  readonly seq: number;
  readonly last_event_time: string | null;
  /** Where the stages keep their files now. */
  readonly stage_directory: string;
}

/**
 * Looks at a run without disturbing it, in one pass over its journal: what that says is exact, whatever the checkpoint
 * knows.
 * @param now milliseconds since 1970
 * @throws RunError `run_not_found`, `run_damaged` or `storage`
 */
export function overviewOf(directory: string, now: number): RunOverview {
  const manifest = readManifest(directory);
  // Asked for first: what a process writes between the two looks is then still its own.
  const owner = runOwner(directory);
  const digest = digestJournal(directory);
  const status = statusOf(digest, owner);
  const isOver = status === 'success' || status === 'fail' || status === 'cancelled';
  const startTime = digest.startedAt ?? manifest.start_time;
  const endTime = isOver ? (digest.endedAt ?? null) : null;
  return {
    run_id: manifest.run_id,
    run_dir: path.resolve(directory),
    name: manifest.name,
    goal: manifest.goal,
    status,
    process: owner === undefined ? null : { pid: owner.pid, since: new Date(owner.since).toISOString() },
    requested: requestedOf(directory, digest, status),
    start_time: startTime,
    end_time: endTime,
    duration_ms: (endTime === null ? now : Date.parse(endTime)) - Date.parse(startTime),
    paused_reason: status === 'paused' ? (digest.pausedReason ?? null) : null,
    failure_reason: digest.failure?.reason ?? null,
    failed_node: digest.failure?.node_id ?? null,
    stages: digest.stages,
    parallels: digest.parallels,
    questions: digest.questions,
    last_stage: digest.lastSettled ?? null,
    stages_done: (status === 'success' ? stepsOfResult(directory) : undefined) ?? digest.settled,
    retries: digest.retries,
    restarts: digest.restarts,
    failures: [...digest.failures.values()],
    quality: qualityOf(digest, status),
    child_runs: childRuns(directory, digest),
    seq: digest.lastEvent?.seq ?? 0,
    last_event_time: digest.lastEvent?.timestamp ?? null,
    stage_directory: path.resolve(directory, digest.stageDirectory),
  };
}

/** Only the result tells whether the last stage was the exit. */
function stepsOfResult(directory: string): number | undefined {
  try {
    const text = readFileSync(path.join(directory, runFiles.result), 'utf8');
    const { steps } = JSON.parse(text) as Partial<RunResult>;
    return typeof steps === 'number' ? steps : undefined;
  } catch {
    return undefined;
  }
}

function digestJournal(directory: string): JournalDigest {
  const file = path.join(directory, runFiles.journal);
  const digest = new JournalDigest();
  let line = 0;
  for (const text of new JournalTail(file).read()) {
    line += 1;
    digest.add(eventOf(file, line, text));
  }
  return digest;
}

function eventOf(file: string, line: number, text: string): RunEvent {
  let event: RunEvent | null;
  try {
    event = JSON.parse(text) as RunEvent | null;
  } catch {
    throw damaged(file, line, 'it is not JSON');
  }
  if (event?.seq !== line) throw damaged(file, line, `its seq must be ${line}`);
  return event;
}

/** A process that took the run after the last event has not come to write one: it is about to go on. */
function statusOf({ status, lastEvent }: JournalDigest, owner: RunOwner | undefined): OverviewStatus {
  if (owner === undefined) return status === 'created' || status === 'running' ? 'interrupted' : status;
  if (status === 'created' || lastEvent === undefined) return 'running';
  return owner.since > Date.parse(lastEvent.timestamp) ? 'running' : status;
}

function requestedOf(
  directory: string,
  { pausing }: JournalDigest,
  status: OverviewStatus,
): RunOverview['requested'] {
  if (status !== 'running') return null;
  if (isRequestPending(directory, 'cancel')) return 'cancel';
  return pausing !== undefined || isRequestPending(directory, 'pause') ? 'pause' : null;
}

function qualityOf({ statuses }: JournalDigest, status: OverviewStatus): Quality {
  if (status === 'fail' || status === 'cancelled') return 'failed';
  const isClean = [...statuses.values()].every((last) => last === 'success' || last === 'skipped');
  return isClean ? 'clean' : 'degraded';
}

/**
 * The runs that stages of this one have started, in the directories of those stages (SEMANTICS 64): of the latest visit, one
 * an attempt.
 */
function childRuns(directory: string, digest: JournalDigest): readonly RunSummary[] {
  const nodes = new Set([...digest.statuses.keys(), ...digest.stages.map(({ node_id }) => node_id)]);
  return [...nodes]
    .flatMap((nodeId) => childrenIn(path.join(directory, digest.stageDirectory, nodeId)))
    .map(summarizeRun);
}

/** A stage that several branches execute has a directory for each. */
function childrenIn(stageDirectory: string): readonly string[] {
  const names = namesIn(stageDirectory);
  const own = names.filter((name) => /^child(?:-[0-9]+)?$/.test(name));
  return [
    ...own.map((name) => path.join(stageDirectory, name)).filter((child) => holdsRun(child)),
    ...names
      .filter((name) => /^branch-[0-9]+$/.test(name))
      .flatMap((branch) => childrenIn(path.join(stageDirectory, branch))),
  ];
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  } catch {
    return [];
  }
}
