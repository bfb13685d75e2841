import { cpSync, existsSync, lstatSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Program } from '../../graph/program.js';
import { makeDirectories } from '../../handlers/make-directories.js';
import type { RunEvent } from '../../machine/event.js';
import { mainCursor, type RunState } from '../../machine/state.js';
import { ArtifactLog, type ArtifactRecord, storedLine } from '../../run-directory/artifact-log.js';
import { isRealDirectoryBelow } from '../../run-directory/durable-file.js';
import { nodeFileSystem } from '../../run-directory/file-system.js';
import { runFiles } from '../../run-directory/run-files.js';
import { isOfOthers, stagePath } from '../../run-directory/stage-path.js';

/** Visits with files in a directory, in their order. */
type Visits = Map<string, { readonly visit: number; isSettled: boolean }[]>;

/** Derives the directories of stages from the events of a run. */
export class StagePlaces {
  readonly #program: Program;
  readonly #visits: Visits = new Map();

  constructor(program: Program) {
    this.#program = program;
  }

  /**
   * Call with every event.
   * @param state right after the event
   */
  note(event: RunEvent, state: RunState): void {
    if (event.type !== 'StageStarted' && !('outcome' in event)) return;
    const stageDirectory = stagePath(this.#program, state, event.branch ?? mainCursor, event.node_id);
    const visits = this.#visits.get(stageDirectory) ?? [];
    this.#visits.set(stageDirectory, visits);
    if (visits.at(-1)?.visit !== event.visit) visits.push({ visit: event.visit, isSettled: false });
    const last = visits.at(-1);
    if (last !== undefined) last.isSettled = event.type !== 'StageStarted' && !isUnfinished(event);
  }

  get visits(): ReadonlyMap<string, readonly { readonly visit: number; readonly isSettled: boolean }[]> {
    return this.#visits;
  }
}

function isUnfinished(event: RunEvent): boolean {
  return ('will_retry' in event && event.will_retry) || ('stopped' in event && event.stopped === true);
}

/**
 * Copies the files of a shared history's stages.
 * @param shared directories of the stages in the shared history
 * @param allPlaces directories in the whole history
 */
export function copyStageFiles(
  from: string,
  to: string,
  shared: StagePlaces,
  allPlaces: StagePlaces,
  runIds: { readonly before: string; readonly after: string },
): void {
  for (const { source, target: place } of sharedVisits(shared, allPlaces)) {
    const target = path.join(to, place);
    // A program may have put something else in its place, which is not a file of the run.
    if (!isRealDirectoryBelow(from, source)) continue;
    copyOwnFiles(path.join(from, source), target);
    adoptChildren(target, runIds);
  }
}

/** Files of a visit that a fork shares: their directory in its original, and in the fork itself. */
export interface SharedVisit {
  readonly source: string;
  readonly target: string;
}

/**
 * Settled visits of a shared history. If a later visit of the same stage has moved the files of an earlier one into its archive, they
 * are there.
 * @param shared directories of the stages in the shared history
 * @param allPlaces directories in the whole history
 */
export function sharedVisits(shared: StagePlaces, allPlaces: StagePlaces): readonly SharedVisit[] {
  return [...shared.visits].flatMap(([stageDirectory, visits]) => {
    const latest = allPlaces.visits.get(stageDirectory)?.at(-1)?.visit;
    const last = visits.at(-1)?.visit;
    return visits.flatMap(({ visit, isSettled }) => {
      const archive = `${stageDirectory}/visit-${visit}`;
      const source = visit === latest ? stageDirectory : archive;
      return isSettled ? [{ source, target: visit === last ? stageDirectory : archive }] : [];
    });
  });
}

/** Copies a stage's own files: neither earlier visits nor other branches. */
function copyOwnFiles(source: string, target: string): void {
  for (const name of readdirSync(source)) {
    if (isOfOthers(name)) continue;
    makeDirectories(target);
    cpSync(path.join(source, name), path.join(target, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => isCopied(file) && !isOfProcess(file),
    });
  }
}

/** True for files of a stage, but not for pipes or devices that a program has left. */
function isCopied(file: string): boolean {
  const stats = lstatSync(file);
  return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
}

/** True for files of a child run that belong to its process, and for work trees, whose path git knows. */
function isOfProcess(file: string): boolean {
  const name = path.basename(file);
  const isSuch = name === runFiles.lock || name === runFiles.workTree || name === runFiles.branchWorkTrees;
  return isSuch && existsSync(path.join(path.dirname(file), runFiles.manifest));
}

/** Makes the copy of a child run belong to the copy of its stage. */
function adoptChildren(
  directory: string,
  { before, after }: { readonly before: string; readonly after: string },
): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) {
    const file = path.join(directory, name, runFiles.manifest);
    if (!/^child(?:-[0-9]+)?$/.test(name) || !isRealDirectoryBelow(directory, name)) continue;
    const manifest = manifestIn(file);
    const adopted = manifest && adoptedManifest(manifest, { before, after });
    if (adopted !== undefined) nodeFileSystem.writeFile(file, `${JSON.stringify(adopted, null, 2)}\n`);
  }
}

/** Ids of the run before and after a stage with children was copied. */
export interface Adoption {
  readonly before: string;
  readonly after: string;
}

/** Manifest of a child that belongs to the copy of its stage; undefined if it belongs to another run. */
export function adoptedManifest<Child extends ChildManifest>(
  manifest: Child,
  { before, after }: Adoption,
): Child | undefined {
  const { parent } = manifest;
  if (parent?.run_id !== before) return undefined;
  return {
    ...manifest,
    parent_run: after,
    parent: { ...parent, run_id: after },
    in_cluster: undefined,
  };
}

interface ChildManifest {
  readonly parent?: { readonly run_id: string } | undefined;
}

/** Manifest of a child; undefined if there is none, or it is damaged, which resuming it reports. */
function manifestIn(file: string): ChildManifest | undefined {
  try {
    return JSON.parse(nodeFileSystem.readFile(file).toString('utf8')) as ChildManifest;
  } catch {
    return undefined;
  }
}

/** Artifacts that belong to the beginning of a run. */
export interface SharedArtifacts {
  /** End of that beginning, ISO 8601. */
  readonly until: string;
  /** Ids of the artifacts that its stages stored. */
  readonly ids: ReadonlySet<string>;
  /** Ids of the artifacts that later stages stored. */
  readonly laterIds: ReadonlySet<string>;
}

/** Artifacts stored in the first events of a run, and in the others. */
export function sharedArtifacts(events: readonly RunEvent[], count: number): SharedArtifacts {
  const stored = (some: readonly RunEvent[]): ReadonlySet<string> =>
    new Set(some.flatMap((event) => ('outcome' in event ? (event.outcome.artifacts ?? []) : [])));
  return {
    until: events[count - 1]?.timestamp ?? '',
    ids: stored(events.slice(0, count)),
    laterIds: stored(events.slice(count)),
  };
}

/**
 * Copies the artifacts of the beginning of a run. One that was stored again since has its current value:
 * the earlier one is not kept anywhere.
 * @returns the ids of those
 */
export function copyArtifacts(
  from: string,
  to: string,
  { until, ids, laterIds }: SharedArtifacts,
): readonly string[] {
  const source = path.join(from, 'artifacts');
  const records = new ArtifactLog(path.join(source, 'index.jsonl'), nodeFileSystem).read();
  // Stages may end and begin in the same millisecond.
  const isLater = (record: ArtifactRecord): boolean =>
    record.op === 'store' &&
    (record.info.stored_at > until || (laterIds.has(record.info.id) && !ids.has(record.info.id)));
  const first = records.findIndex(isLater);
  const shared = first === -1 ? records : records.slice(0, first);
  const storedIds = new Set(shared.flatMap((record) => (record.op === 'store' ? [record.info.id] : [])));
  const replaced = new Map<string, ArtifactRecord>();
  for (const id of ids) {
    const latestRecord = storedIds.has(id)
      ? undefined
      : records.findLast((record) => record.op === 'store' && record.info.id === id);
    if (latestRecord !== undefined) replaced.set(id, latestRecord);
  }
  const copied = [...shared, ...replaced.values()];
  if (copied.length === 0) return [];
  const target = path.join(to, 'artifacts');
  makeDirectories(target);
  for (const record of copied) copyArtifactFile(record, source, target);
  writeFileSync(path.join(target, 'index.jsonl'), copied.map((record) => `${lineOf(record)}\n`).join(''));
  return [...replaced.keys()];
}

function copyArtifactFile(record: ArtifactRecord, source: string, target: string): void {
  if (record.op !== 'store' || !('file' in record)) return;
  const file = path.join(source, record.file);
  if (nodeFileSystem.stat(file)?.isFile() === true) cpSync(file, path.join(target, record.file));
}

function lineOf(record: ArtifactRecord): string {
  if (record.op !== 'store') return JSON.stringify(record);
  const content = 'file' in record ? { file: record.file } : { text: JSON.stringify(record.data) };
  return storedLine(record.info, content);
}
