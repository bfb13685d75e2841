import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type CompileOptions, compile } from '../../compiler/compile.js';
import type { Program } from '../../graph/program.js';
import { withHandlerTypes } from '../../graph/with-handler-types.js';
import { checkJournal } from '../../journal/check-journal.js';
import { beginning, journalText, readJournal } from '../../journal/journal.js';
import type { RunEvent } from '../../machine/event.js';
import type { RunState } from '../../machine/state.js';
import { makeDirectory, writeFileAtomically } from '../../run-directory/durable-file.js';
import { nodeFileSystem } from '../../run-directory/file-system.js';
import { type Manifest, readManifest } from '../../run-directory/manifest.js';
import { readPipeline } from '../../run-directory/read-pipeline.js';
import { describeSystemError, RunError } from '../../run-directory/run-error.js';
import { holdsRun, runFiles } from '../../run-directory/run-files.js';
import { keepBranches } from '../../workspaces/keep-files.js';
import { checkPipeline } from '../check-pipeline.js';
import { systemClock } from '../driver/clock.js';
import { foldJournal } from '../recorded-session.js';
import type { CommonRunOptions, InvalidPipeline } from '../run-options.js';
import { newRunLocation } from '../run-parts.js';
import { copyArtifacts, copyStageFiles, StagePlaces, sharedArtifacts } from './fork-files.js';
import { forkedManifest } from './fork-manifest.js';
import { forkedEvents, forkPoint, forkPointOf } from './fork-point.js';

export interface ForkOptions
  extends Pick<CommonRunOptions, 'handlers' | 'clock'>,
    Pick<CompileOptions, 'handlerTypes' | 'transforms' | 'rules' | 'ruleSettings' | 'properties'> {
  /** Node to continue at: the history before its last visit is shared. */
  readonly at?: string;
  /** Number of shared stages, start and exit not counted; by default the whole run so far. */
  readonly step?: number;
  /** Directory of the new run; by default a new one next to that of the old run. */
  readonly runDirectory?: string;
  /** Called with each notice for people. */
  readonly onNotice?: (message: string) => void;
}

/** Run that shares the beginning of another one. */
export interface ForkedRun {
  readonly status: 'forked';
  readonly run_id: string;
  readonly run_dir: string;
  /** Run that it comes from, and the last event that both have. */
  readonly forked_from: { readonly run_id: string; readonly seq: number };
}

/**
 * Makes a new run that shares the history of another one up to a step, with the files and the artifacts
 * that belong to it; `resume` continues it. The other run is only read, and may continue meanwhile.
 * @param directory the run directory of the other run
 * @throws RunError if there is no such run, it never got to that step, or the new directory cannot be used
 */
export async function fork(
  directory: string,
  options: ForkOptions = {},
): Promise<ForkedRun | InvalidPipeline> {
  const manifest = readManifest(directory);
  const compiled = programOf(directory, manifest, options);
  if ('status' in compiled) return compiled;
  const { program } = compiled;
  const above = runsAbove(directory, manifest);
  checkFiles(manifest, above);
  const allPlaces = new StagePlaces(program);
  const events = eventsOf(program, directory, allPlaces);
  const count = forkPoint(program, events, forkPointOf(options));
  const { runId, directory: home } = newDirectory(above.at(-1)?.directory ?? directory, program, options);
  const shared = forkedEvents(events.slice(0, count), runId);
  const places = new StagePlaces(program);
  const state = fold(program, shared, directory, places);
  const directories = { from: directory, to: makeBeside(home, runId) };
  try {
    copyStageFiles(directories.from, directories.to, places, allPlaces, {
      before: manifest.run_id,
      after: runId,
    });
    for (const id of copyArtifacts(directories.from, directories.to, sharedArtifacts(events, count)))
      options.onNotice?.(`the artifact ${id} was stored again later; the new run gets the latest version`);
    // As it is written there, with fields unknown to this version.
    const written = nodeFileSystem.readFile(path.join(directory, runFiles.manifest)).toString('utf8');
    const now = (options.clock ?? systemClock).now();
    writeRun(directories, forkedManifest(written, { runId, seq: count, state, now }), shared);
    await keepBranches(manifest.git, state, directories.to);
    renameSync(directories.to, home);
  } catch (error) {
    rmSync(directories.to, { recursive: true, force: true });
    throw error;
  }
  const forkedFrom = { run_id: manifest.run_id, seq: count };
  return { status: 'forked', run_id: runId, run_dir: home, forked_from: forkedFrom };
}

/** Pipeline of the run, with the language extensions of the options. */
function programOf(
  directory: string,
  manifest: Manifest,
  { handlers, transforms, rules, ruleSettings, properties, ...options }: ForkOptions,
): { readonly program: Program } | InvalidPipeline {
  const handlerTypes = [...(options.handlerTypes ?? handlers?.types ?? [])];
  const { graph, program, diagnostics } = compile(readPipeline(directory), {
    handlerTypes,
    transforms,
    rules,
    ruleSettings,
    properties,
  });
  checkPipeline(directory, manifest, graph);
  if (program === undefined) return { status: 'invalid', diagnostics };
  return { program: withHandlerTypes(program, handlerTypes) };
}

function eventsOf(program: Program, directory: string, places: StagePlaces): readonly RunEvent[] {
  if (!checkJournal(directory, nodeFileSystem)) return [];
  const { events } = readJournal(path.join(directory, runFiles.journal));
  fold(program, events, directory, places);
  return events;
}

function fold(
  program: Program,
  events: readonly RunEvent[],
  directory: string,
  places: StagePlaces,
): RunState {
  const journal = { events, end: beginning };
  return foldJournal(program, journal, directory, (event, state) => places.note(event, state));
}

/** Run that contains another one. */
interface RunAbove {
  readonly directory: string;
  readonly manifest: Manifest;
}

/** Runs that a child is a part of, the nearest first: each is stored inside of the one above it. */
function runsAbove(directory: string, { parent }: Manifest): readonly RunAbove[] {
  if (parent === undefined) return [];
  let ancestor = path.dirname(path.resolve(directory));
  while (ancestor !== path.dirname(ancestor)) {
    if (holdsRun(ancestor)) {
      const manifest = readManifest(ancestor);
      if (manifest.run_id === parent.run_id)
        return [{ directory: ancestor, manifest }, ...runsAbove(ancestor, manifest)];
    }
    ancestor = path.dirname(ancestor);
  }
  return [];
}

/**
 * Refuses a child of a run with git, whose changes are in the commits of the stage that ran it.
 * @throws RunError `usage`
 */
function checkFiles({ git, parent }: Manifest, above: readonly RunAbove[]): void {
  const keeper = above.find(({ manifest }) => manifest.git !== undefined);
  if (git !== undefined || keeper === undefined || parent === undefined) return;
  const reason = `it worked in the files of the run ${keeper.manifest.run_id} and has no commits of its own`;
  throw new RunError(
    'usage',
    `the run cannot be forked: ${reason}. Fork that run at the stage that started it`,
  );
}

function newDirectory(directory: string, program: Program, { runDirectory, clock }: ForkOptions) {
  const location = newRunLocation(program.graph.name, {}, clock ?? systemClock);
  const beside = path.join(path.dirname(path.resolve(directory)), location.runId);
  return {
    runId: location.runId,
    directory: runDirectory === undefined ? beside : path.resolve(runDirectory),
  };
}

/**
 * Creates the new directory next to its final name, so that it appears as a whole or not at all.
 * @returns its temporary path
 */
function makeBeside(home: string, runId: string): string {
  const beside = `${home}.forking-${runId}`;
  try {
    if (existsSync(home) && readdirSync(home).length > 0)
      throw new RunError('run_exists', `${home} is not empty: name another directory for the new run`);
    makeDirectory(beside);
  } catch (error) {
    if (error instanceof RunError) throw error;
    throw new RunError(
      'unusable_directory',
      `the run directory ${home} cannot be created: ${describeSystemError(error)}`,
      {
        cause: error,
      },
    );
  }
  return beside;
}

function writeRun(
  { from, to }: { from: string; to: string },
  manifest: string,
  events: readonly RunEvent[],
): void {
  writeFileSync(path.join(to, runFiles.pipeline), readPipeline(from));
  writeFileSync(path.join(to, runFiles.journal), journalText(events).text);
  writeFileAtomically(path.join(to, runFiles.manifest), manifest, nodeFileSystem);
}
