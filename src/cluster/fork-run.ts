import type { Program } from '../graph/program.js';
import { beginning } from '../journal/journal.js';
import type { RunEvent } from '../machine/event.js';
import type { RunState } from '../machine/state.js';
import type { Clock } from '../run/driver/clock.js';
import { foldJournal } from '../run/recorded-session.js';
import {
  type Adoption,
  adoptedManifest,
  type SharedVisit,
  StagePlaces,
  sharedVisits,
} from '../run/recording/fork-files.js';
import { forkedManifest } from '../run/recording/fork-manifest.js';
import { forkedEvents, forkPoint, forkPointOf } from '../run/recording/fork-point.js';
import type { Manifest } from '../run-directory/manifest.js';
import { runFiles } from '../run-directory/run-files.js';
import { isOfOthers } from '../run-directory/stage-path.js';
import { keepBranches } from '../workspaces/keep-files.js';
import type { ClusterRun } from './cluster.js';
import type { PlacedRecord, Submission } from './durable-run.js';
import type { FileChange } from './files/file-change.js';
import { entriesBelow, type KnownFile } from './files/file-tree.js';
import { placementOf } from './placement.js';
import type { HistoricRun, RunHistory } from './run-history.js';

export interface ForkRequest {
  /** Pipeline of the run, with the handler types of this call. */
  readonly program: Program;
  /** Node to continue at: the history before its last visit is shared. */
  readonly at?: string | undefined;
  /** Number of shared stages, start and exit not counted; by default the whole run so far. */
  readonly step?: number | undefined;
  /** Id of the fork. */
  readonly runId: string;
  readonly clock: Clock;
  /** Directory of the run in this cluster on this machine, for messages. */
  readonly directory: string;
}

export interface PreparedFork {
  readonly submission: Submission;
  /** Last event that both runs have. */
  readonly seq: number;
}

/**
 * Makes a run that shares the history of another one up to a step, as `fork` does in a directory. The contents of its files are in the
 * store of the other run, from where a worker takes them.
 * @throws RunError `usage` if the run never got to that step
 */
export async function prepareFork(
  run: Pick<ClusterRun, 'history' | 'historyUntil' | 'machine'>,
  request: ForkRequest,
): Promise<PreparedFork> {
  const { program, runId, clock } = request;
  const { submission } = run.history;
  const original = run.history.run;
  const seq = forkPoint(program, original.events, forkPointOf(request));
  const until = await run.historyUntil(seq);
  // Visits that have begun and left nothing yet have not moved the files of the ones before.
  const { places: allPlaces } = fold(until.run.events, request, (event) => 'outcome' in event);
  const events = forkedEvents(original.events.slice(0, seq), runId);
  const { state, places } = fold(events, request, () => true);
  const { git }: Pick<Manifest, 'git'> = JSON.parse(original.manifest);
  // What is on a remote is fetched from there by its hash.
  if (git?.remote === undefined) await keepBranches(git, state, request.directory);
  const visits = sharedVisits(places, allPlaces);
  const runs = [submission.runId, ...(submission.shared?.runs ?? [])];
  const isSticky = submission.files.reach === 'sticky';
  const children = sharedChildren(until, visits, {
    before: submission.runId,
    after: runId,
  });
  const fork: Submission = {
    ...submission,
    runId,
    manifest: forkedManifest(original.manifest, { runId, seq, state, now: clock.now() }),
    placement: { ...placementOf(program.graph), host: isSticky ? run.machine : undefined },
    shared: {
      runs,
      batch: { records: [{ inputs: [], events }, ...children], files: sharedFiles(until, visits) },
    },
  };
  return { submission: fork, seq };
}

function fold(
  events: readonly RunEvent[],
  { program, directory }: ForkRequest,
  isNoted: (event: RunEvent) => boolean,
): { readonly state: RunState; readonly places: StagePlaces } {
  const places = new StagePlaces(program);
  const state = foldJournal(program, { events, end: beginning }, directory, (event, after) => {
    if (isNoted(event)) places.note(event, after);
  });
  return { state, places };
}

/** Child runs of the shared visits, each with its place in the fork. */
function sharedChildren(
  { children }: RunHistory,
  visits: readonly SharedVisit[],
  adoption: Adoption,
): readonly PlacedRecord[] {
  return visits.flatMap(({ source, target }) =>
    [...children].flatMap(([place, child]) => {
      const inner = ownPlace(source, place);
      return inner === undefined ? [] : [childRecord(`${target}/${inner}`, child, adoption)];
    }),
  );
}

function childRecord(
  place: string,
  { pipeline, manifest, events }: HistoricRun,
  adoption: Adoption,
): PlacedRecord {
  const adopted = adoptedManifest(JSON.parse(manifest) as Manifest, adoption);
  const text = adopted === undefined ? manifest : `${JSON.stringify(adopted, null, 2)}\n`;
  return { place, inputs: [], events, files: { pipeline, manifest: text } };
}

/** Path within the directory of a stage; undefined for what is elsewhere, or belongs to another visit or branch. */
function ownPlace(directory: string, place: string): string | undefined {
  if (!place.startsWith(`${directory}/`)) return undefined;
  const inner = place.slice(directory.length + 1);
  return isOfOthers(inner.split('/', 1)[0] ?? '') ? undefined : inner;
}

/** Files of the shared visits, and the artifacts. */
function sharedFiles({ files: tree }: RunHistory, visits: readonly SharedVisit[]): readonly FileChange[] {
  const kept = [...visits, { source: runFiles.artifacts, target: runFiles.artifacts }];
  return kept.flatMap(({ source, target }) => {
    const directory = tree.directory(source);
    const entries = directory === undefined ? [] : [...entriesBelow(directory, `${source}/`)];
    return entries.flatMap(([place, file]) => {
      const inner = ownPlace(source, place);
      return inner === undefined ? [] : changesOf(`${target}/${inner}`, file);
    });
  });
}

/** Changes that make a file. */
function changesOf(path: string, file: KnownFile): readonly FileChange[] {
  if (file.kind === 'left_out') return [{ path, kind: 'left_out', size: file.size, reason: file.reason }];
  return file.parts.map(({ sha256, size }, index) => ({
    path,
    kind: 'stored',
    sha256,
    size,
    isAdded: index === 0 ? undefined : true,
  }));
}
