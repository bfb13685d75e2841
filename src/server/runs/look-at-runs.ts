import type { RunEvent } from '../../machine/event.js';
import { holdsRun } from '../../run-directory/run-files.js';
import { overviewStatus } from '../../view/run-overview.js';
import type { OpenQuestionJson } from '../api/question.js';
import type { RunDetail, RunList, RunListEntry, RunStatusName } from '../api/run.js';
import { questionsOfOther, questionsOfOwn } from './answer-question.js';
import { entryOfView } from './entry-of-view.js';
import { followRun } from './follow-run.js';
import type { OwnRun } from './own-run.js';
import { problemOf } from './problem-of.js';
import { asQueued } from './run-details.js';
import type { RunParts } from './run-parts.js';
import type { RunCounts, RunEventsOptions, RunListQuery } from './run-registry.js';
import { selectRuns } from './select-runs.js';
import { readWaiting } from './server-files.js';

/** The runs of a home that fit a query, the newest first. */
export function listRuns(parts: RunParts, query: RunListQuery): RunList {
  return selectRuns(entriesOf(parts), query);
}

/** Numbers of runs, for those who watch the server. */
export function countRuns(parts: RunParts): RunCounts {
  const { executor } = parts;
  const { waitingForPeople } = executor;
  return {
    ...countEntries(entriesOf(parts)),
    running: executor.running.length,
    waitingForPeople,
    queued: executor.queue.length,
  };
}

/** Numbers that a list of all runs has. */
export function countEntries(
  entries: readonly RunListEntry[],
): Pick<RunCounts, 'byStatus' | 'openQuestions'> {
  const byStatus = new Map<RunStatusName, number>();
  let openQuestions = 0;
  for (const { status, open_questions: open } of entries) {
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    if (status === 'running') openQuestions += open;
  }
  return { byStatus, openQuestions };
}

export function readDetail(parts: RunParts, id: string): RunDetail {
  const { executor, details } = parts;
  const own = executor.own(id);
  if (own !== undefined) return details.ofOwn(own);
  const directory = findDirectory(parts, id);
  return unstarted(parts, id, directory) ?? inWords(() => details.ofOther(id, directory));
}

export function readDetailText(parts: RunParts, id: string): string {
  const { executor, details } = parts;
  const own = executor.own(id);
  if (own !== undefined) return details.textOfOwn(own);
  const latest = executor.queue.has(id) ? undefined : details.latestTextOf(id);
  if (latest !== undefined) return latest;
  const directory = findDirectory(parts, id);
  const known = executor.queue.has(id) ? undefined : details.knownTextOf(id, directory);
  if (known !== undefined) return known;
  const waiting = unstarted(parts, id, directory);
  if (waiting !== undefined) return JSON.stringify(waiting);
  return inWords(() => details.textOfOther(id, directory));
}

export function isQueued(parts: RunParts, id: string): boolean {
  const { executor } = parts;
  if (executor.own(id) !== undefined) return false;
  const directory = findDirectory(parts, id);
  if (executor.queue.has(id)) return true;
  const waiting = holdsRun(directory) ? undefined : readWaiting(directory);
  return waiting?.kind === 'start' && waiting.refused === undefined;
}

export function followRunEvents(
  parts: RunParts,
  id: string,
  options: RunEventsOptions,
): AsyncIterable<RunEvent> {
  const { executor, closing } = parts;
  return followRun({ id, directory: findDirectory(parts, id), executor, closing }, options);
}

export function listQuestions(parts: RunParts, id: string): readonly OpenQuestionJson[] {
  const own = parts.executor.own(id);
  if (own !== undefined) return questionsOfOwn(own);
  const directory = findDirectory(parts, id);
  return holdsRun(directory) ? inWords(() => questionsOfOther(directory, parts.now())) : [];
}

export function findDirectory({ executor, index }: RunParts, id: string): string {
  return executor.own(id)?.directory ?? index.directoryOf(id);
}

function entriesOf({ executor, index }: RunParts): readonly RunListEntry[] {
  const others = index.entries((id) => executor.own(id) !== undefined);
  const known = others.map((entry) => {
    return executor.queue.has(entry.id) ? { ...entry, status: 'queued' as const } : entry;
  });
  return [...executor.running.map(entryOfOwn), ...known];
}

/** A run that waits in the queue, or never came to begin; undefined for any other. */
function unstarted({ executor, details }: RunParts, id: string, directory: string): RunDetail | undefined {
  const position = executor.queue.positionOf(id);
  if (holdsRun(directory)) {
    if (position === undefined) return undefined;
    return asQueued(
      inWords(() => details.ofOther(id, directory)),
      position,
    );
  }
  const waiting = readWaiting(directory);
  if (waiting?.kind !== 'start') return undefined;
  if (waiting.refused !== undefined) return details.ofRefused(id, directory, waiting);
  return details.ofQueued(id, directory, waiting, position ?? 0);
}

function entryOfOwn(run: OwnRun): RunListEntry {
  const { id, manifest, view } = run;
  const status = overviewStatus(view, run.owner);
  return entryOfView({
    id,
    manifest,
    view,
    status,
    worker: null,
    waitsFor: null,
    questions: questionsOfOwn(run).length,
  });
}

/** Runs some work, and converts its errors to the words of the API. */
function inWords<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw problemOf(error);
  }
}
