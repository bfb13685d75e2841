import path from 'node:path';
import { graphAttribute } from '../graph/attributes.js';
import { graphHash } from '../journal/graph-hash.js';
import { beginning } from '../journal/journal.js';
import { initialState, type RunState } from '../machine/state.js';
import { makeDirectory, removeTemporaryFiles, writeFileAtomically } from '../run-directory/durable-file.js';
import type { FileSystem } from '../run-directory/file-system.js';
import { acquireLock } from '../run-directory/lock.js';
import type { Manifest } from '../run-directory/manifest.js';
import { optionsOf } from '../run-directory/manifest-settings.js';
import { describeSystemError, RunError } from '../run-directory/run-error.js';
import { holdsRun, runFiles } from '../run-directory/run-files.js';
import { version } from '../version.js';
import type { RunResult } from '../view/run-result.js';
import type { Clock } from './driver/clock.js';
import { checkInputs } from './driver/externalize.js';
import { historyOf } from './preamble/run-history.js';
import type { NewRun } from './prepare-run.js';
import { handlerTypesOf } from './provided-handlers.js';
import { driveRun, type RunEnvironment } from './run-session.js';

/**
 * Creates the directory of a new run and runs its program in it (§3.1).
 * @param open connects it with the world, once the directory is locked
 * @throws RunError `usage`, `run_exists`, `run_locked`, `unusable_directory` or `storage`
 */
export async function driveNewRun(
  run: NewRun,
  open: (state: RunState) => RunEnvironment,
): Promise<RunResult> {
  const { program, directory, runId, workingDirectory, settings } = run;
  const { recorded, ports } = settings;
  const { inputs = {}, maxSteps, budgetUsd, budgetTokens } = recorded;
  const { fileSystem } = ports;
  checkInputs(inputs);
  createDirectory(directory, fileSystem);
  const lock = acquireLock(path.join(directory, runFiles.lock), fileSystem);
  try {
    if (holdsRun(directory, fileSystem)) throw runExists(directory);
    const hash = graphHash(program.graph);
    const environment = open(initialState);
    removeTemporaryFiles(directory, fileSystem);
    writeBirthFiles(run, hash, environment.ports.clock);
    const session = {
      program,
      directory,
      state: initialState,
      history: historyOf(program),
      journalEnd: beginning,
      graphHash: hash,
      workingDirectory,
      settings: recorded,
    };
    const commit = run.git?.base;
    return await driveRun(session, environment, {
      kind: 'start',
      runId,
      graphHash: hash,
      inputs,
      maxSteps,
      commit,
      budgetUsd,
      budgetTokens,
    });
  } finally {
    lock.release();
  }
}

function createDirectory(directory: string, fileSystem: FileSystem): void {
  if (holdsRun(directory, fileSystem)) throw runExists(directory);
  try {
    makeDirectory(path.resolve(directory), fileSystem);
  } catch (error) {
    const isRefused = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const what = isRefused ? 'the file system does not take it there' : describeSystemError(error);
    throw new RunError('unusable_directory', `the run directory ${directory} cannot be created: ${what}`, {
      cause: error,
    });
  }
}

function runExists(directory: string): RunError {
  return new RunError(
    'run_exists',
    `${directory} already holds a run. Continue with it by \`attractor resume ${directory}\`, or name another directory`,
  );
}

function writeBirthFiles(run: NewRun, hash: string, clock: Clock): void {
  const { program, settings, provided, script, git, call, directory } = run;
  const { recorded, ports } = settings;
  const { simulate = false, sourcePath, inputs = {} } = recorded;
  const { lineage } = call;
  const manifest: Manifest = {
    run_id: run.runId,
    name: program.graph.name,
    goal: graphAttribute(program.graph, 'goal'),
    start_time: new Date(clock.now()).toISOString(),
    source: sourcePath ?? null,
    graph_hash: hash,
    attractor_version: version,
    inputs,
    parent_run: lineage?.parent.run_id ?? null,
    parent: lineage?.parent,
    depth: lineage && run.depth,
    max_depth: lineage && run.maxDepth,
    working_directory: run.workingDirectory,
    git,
    options: {
      ...optionsOf(recorded, ports.secrets),
      has_backend: provided.hasBackend,
      handler_types: [...handlerTypesOf({ program, script, simulate }, provided)],
    },
  };
  // The manifest goes last: a directory that has one can be resumed.
  writeBirthFile(directory, runFiles.pipeline, run.text, ports.fileSystem);
  writeBirthFile(directory, runFiles.manifest, `${JSON.stringify(manifest, null, 2)}\n`, ports.fileSystem);
}

function writeBirthFile(directory: string, name: string, text: string, fileSystem: FileSystem): void {
  const file = path.join(directory, name);
  try {
    writeFileAtomically(file, text, fileSystem);
  } catch (error) {
    throw new RunError(
      'unusable_directory',
      `${file} could not be written: ${describeSystemError(error)}. Nothing was executed; run the pipeline again once the cause is gone, or name another directory`,
      { cause: error },
    );
  }
}
