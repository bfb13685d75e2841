import path from 'node:path';
import { graphAttribute } from '../graph/attributes.js';
import type { JsonValue } from '../graph/json.js';
import type { Program } from '../graph/program.js';
import { graphHash } from '../journal/graph-hash.js';
import { initialState } from '../machine/state.js';
import { makeDirectory, writeFileAtomically } from '../run-directory/durable-file.js';
import type { ExtensionRecord } from '../run-directory/extension-record.js';
import { type FileSystem, nodeFileSystem } from '../run-directory/file-system.js';
import { acquireLock } from '../run-directory/lock.js';
import type { Manifest, RunParent } from '../run-directory/manifest.js';
import { describeSystemError, RunError } from '../run-directory/run-error.js';
import { holdsRun, runFiles } from '../run-directory/run-files.js';
import { type SimulationScript, scriptToJson } from '../run-directory/simulation-script.js';
import { noRedactor } from '../secrets/redactor.js';
import type { RunResult } from '../view/run-result.js';
import { checkInputs } from './driver/externalize.js';
import { handlerTypesOf, type Means } from './means.js';
import { historyOf } from './preamble/run-history.js';
import { driveRun, type RunEnvironment } from './run-session.js';

/** A new run: what, where and how. */
export interface NewRun {
  readonly program: Program;
  /** The text of the pipeline, kept in the run directory. */
  readonly source: string;
  /** Where the text came from; undefined for a text without a file. */
  readonly sourcePath: string | undefined;
  readonly runId: string;
  readonly directory: string;
  readonly workingDirectory: string;
  readonly inputs: Readonly<Record<string, JsonValue>>;
  readonly maxSteps: number | undefined;
  readonly budgetUsd?: number | undefined;
  readonly budgetTokens?: number | undefined;
  readonly strictValues: boolean;
  readonly customOutcomes: boolean;
  readonly simulate: boolean;
  readonly autoApprove: boolean;
  readonly script: SimulationScript;
  /** What it is worked on with, which whoever resumes it must have too. */
  readonly means: Means;
  /** Of a simulation: what decides where something is left to chance. */
  readonly seed: number | undefined;
  /** Kept for whoever resumes the run. */
  readonly extensions: ExtensionRecord | undefined;
  readonly version: string;
  /** Whether what stages have to do with models, agents and tools is written down. */
  readonly record?: boolean | undefined;
  /** The directory of the run that it plays back. */
  readonly replayOf?: string | undefined;
  /** Of a run whose files git keeps. */
  readonly git?: Manifest['git'];
  /** Set for the child of another run. */
  readonly lineage?: Lineage | undefined;
}

/** Where a child run stands (§9.4). */
export interface Lineage {
  readonly parent: RunParent;
  /** How many runs there are above it. */
  readonly depth: number;
  /** How many there may be above any run below it. */
  readonly maxDepth: number;
}

/**
 * Creates the run directory and runs the program in it (§3.1).
 * @throws RunError `usage`, `run_exists`, `run_locked`, `unusable_directory` or `storage`
 */
export async function startRun(run: NewRun, environment: RunEnvironment): Promise<RunResult> {
  const { program, directory, runId, workingDirectory, inputs, maxSteps, simulate, script } = run;
  const { fileSystem = nodeFileSystem } = environment;
  checkInputs(inputs);
  createDirectory(directory, fileSystem);
  const lock = acquireLock(path.join(directory, runFiles.lock), fileSystem);
  try {
    if (holdsRun(directory, fileSystem)) throw runExists(directory);
    const hash = graphHash(program.graph);
    writeBirthFiles(run, hash, environment, fileSystem);
    const state = initialState;
    return await driveRun(
      {
        program,
        directory,
        state,

        history: historyOf(program),
        journalSize: 0,
        graphHash: hash,
        workingDirectory,
        simulate,
        script,
      },
      environment,
      {
        kind: 'start',
        runId,
        graphHash: hash,
        inputs,
        ...(maxSteps !== undefined && { maxSteps }),
        ...(run.git && { commit: run.git.base }),
        ...givenBudgets(run),
      },
    );
  } finally {
    lock.release();
  }
}

/** The budgets that a call sets, as an input of the machine. */
export function givenBudgets({
  budgetUsd,
  budgetTokens,
}: {
  readonly budgetUsd?: number | undefined;
  readonly budgetTokens?: number | undefined;
}): { readonly budgetUsd?: number; readonly budgetTokens?: number } {
  return {
    ...(budgetUsd !== undefined && { budgetUsd }),
    ...(budgetTokens !== undefined && { budgetTokens }),
  };
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
    `${directory} already holds a run. Go on with it by \`attractor resume ${directory}\`, or name another directory`,
  );
}

function writeBirthFiles(
  run: NewRun,
  hash: string,
  { clock, redactor = noRedactor }: RunEnvironment,
  fileSystem: FileSystem,
): void {
  const manifest: Manifest = {
    run_id: run.runId,
    name: run.program.graph.name,
    goal: graphAttribute(run.program.graph, 'goal'),
    start_time: new Date(clock.now()).toISOString(),
    source: run.sourcePath ?? null,
    graph_hash: hash,
    attractor_version: run.version,
    inputs: run.inputs,
    parent_run: run.lineage?.parent.run_id ?? null,
    ...(run.lineage && {
      parent: run.lineage.parent,
      depth: run.lineage.depth,
      max_depth: run.lineage.maxDepth,
    }),
    working_directory: run.workingDirectory,
    ...(run.git && { git: run.git }),
    options: {
      simulate: run.simulate,
      auto_approve: run.autoApprove,
      ...(run.maxSteps !== undefined && { max_steps: run.maxSteps }),
      ...(run.budgetUsd !== undefined && { budget_usd: run.budgetUsd }),
      ...(run.budgetTokens !== undefined && { budget_tokens: run.budgetTokens }),
      ...(run.strictValues && { strict_values: true }),
      ...(run.customOutcomes && { custom_outcomes: true }),
      script: redactor.json(scriptToJson(run.script)),
      ...(run.seed !== undefined && { seed: run.seed }),
      has_backend: run.means.hasBackend,
      handler_types: [...handlerTypesOf(run, run.means)],
      ...(run.extensions !== undefined && { extensions: run.extensions }),
      ...(run.record && { record: true }),
      ...(run.replayOf !== undefined && { replay_of: run.replayOf }),
    },
  };
  // The manifest goes last: a directory that has one can be resumed.
  writeBirthFile(run.directory, runFiles.pipeline, run.source, fileSystem);
  writeBirthFile(run.directory, runFiles.manifest, `${JSON.stringify(manifest, null, 2)}\n`, fileSystem);
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
