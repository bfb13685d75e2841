import { abortWith } from '../../abort/abort.js';
import { followEvents } from '../../journal/follow-events.js';
import type { RunEvent } from '../../machine/event.js';
import type { OpenQuestionJson } from '../api/question.js';
import type { RunDetail, RunList } from '../api/run.js';
import { questionsOfOther } from '../runs/answer-question.js';
import { countEntries } from '../runs/look-at-runs.js';
import type { RunCounts, RunEventsOptions, RunListQuery, RunPart } from '../runs/run-registry.js';
import { selectRuns } from '../runs/select-runs.js';
import { answered } from './answered.js';
import type { ClusterParts } from './cluster-parts.js';

/** Brings a run, and the files of its stages if they are wanted, to this machine. @returns undefined if it is here */
export function fetchRun({ mirrors }: ClusterParts, id: string, part: RunPart): Promise<void> | undefined {
  const files = (): Promise<void> | undefined => {
    const bringing = part === 'files' ? mirrors.of(id).bringFiles() : undefined;
    return bringing && answered(bringing);
  };
  const opening = mirrors.open(id);
  return opening === undefined ? files() : opening.then(files);
}

/** The runs of the cluster that fit a query, the newest first. */
export async function listRuns({ list }: ClusterParts, query: RunListQuery): Promise<RunList> {
  return selectRuns(await answered(list.entries()), query);
}

/** Numbers of the runs, as they were listed last; what is new is read for the next one who asks. */
export function countRuns({ list }: ClusterParts): RunCounts {
  const { latest } = list;
  list.entries().catch(() => undefined);
  const { byStatus, openQuestions } = countEntries(latest);
  const waitingForPeople = latest.filter((run) => run.status === 'running' && run.only_asks).length;
  const [running, queued] = [byStatus.get('running') ?? 0, byStatus.get('queued') ?? 0];
  return { byStatus, openQuestions, waitingForPeople, running, queued };
}

export function readDetail(parts: ClusterParts, id: string): RunDetail {
  return parts.details.ofOther(id, directoryOf(parts, id));
}

export function readDetailText(parts: ClusterParts, id: string): string {
  const { details } = parts;
  const directory = directoryOf(parts, id);
  return details.latestTextOf(id) ?? details.knownTextOf(id, directory) ?? details.textOfOther(id, directory);
}

/** True if nothing has happened in it; one that waits for another worker has a history. */
export function isQueued({ mirrors }: ClusterParts, id: string): boolean {
  const { history } = mirrors.of(id).run;
  return history.view.seq === 0;
}

/** Events of a run, which is kept up to date for whoever follows it. */
export async function* followRunEvents(
  { mirrors, closing }: ClusterParts,
  id: string,
  { from, signal }: RunEventsOptions,
): AsyncGenerator<RunEvent> {
  await mirrors.open(id);
  const kept = mirrors.of(id);
  const stop = new AbortController();
  const releases = [kept.hold(), abortWith(stop, signal, closing)];
  let problem: unknown;
  kept.broken.catch((error: unknown) => {
    problem = error;
    stop.abort();
  });
  try {
    yield* followEvents(kept.directory, { from, signal: stop.signal });
  } finally {
    for (const release of releases) release();
  }
  if (problem !== undefined) throw problem;
}

export function listQuestions(parts: ClusterParts, id: string): readonly OpenQuestionJson[] {
  return questionsOfOther(directoryOf(parts, id), parts.now());
}

export function directoryOf({ mirrors }: ClusterParts, id: string): string {
  return mirrors.of(id).directory;
}
