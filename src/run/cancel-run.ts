import path from 'node:path';
import type { Program } from '../graph/program.js';
import { messageOf } from '../handlers/error-category.js';
import { refuseCopy } from '../run-directory/copied-run.js';
import { type FileSystem, nodeFileSystem } from '../run-directory/file-system.js';
import { acquireLock, type Lock } from '../run-directory/lock.js';
import { readManifest } from '../run-directory/manifest.js';
import { settingsOf } from '../run-directory/manifest-settings.js';
import { RunError } from '../run-directory/run-error.js';
import { runFiles } from '../run-directory/run-files.js';
import { emptyScript } from '../run-directory/simulation-script.js';
import { childRunsOf } from '../view/child-runs.js';
import { readView } from '../view/read-view.js';
import type { RunResult } from '../view/run-result.js';
import { driveRun } from './drive-run.js';
import { type Clock, systemClock } from './driver/clock.js';
import type { DurableLog } from './driver/durable-log.js';
import { endLeftTools } from './end-left-tools.js';
import { absentInterviewer } from './questions/interviewer.js';
import { recordedSession } from './recorded-session.js';
import type { RunPorts } from './run-options.js';

/** Environment of a cancellation: no stage is executed. */
export interface CancelEnvironment {
  readonly clock?: Clock;
  readonly fileSystem?: FileSystem;
  readonly onEvent?: RunPorts['onEvent'];
  /** Called with each run below that could not be cancelled and the reason, and with each tool that was still running. */
  readonly onNotice?: RunPorts['onNotice'];
  /** Place of the history, of a run in a cluster. */
  readonly durableLog?: DurableLog | undefined;
  /** Lock of the run directory, if the caller holds it. */
  readonly lock?: Lock | undefined;
}

/** Compiles the pipeline of the run in a directory; the engine itself knows no compiler. */
export type CompileRun = (directory: string) => CompiledRun;

interface CompiledRun {
  readonly program?: Program;
  readonly diagnostics: readonly { readonly severity: string; readonly message: string }[];
}

/**
 * Cancels a run that is paused or was cut off (SEMANTICS 76), after its child runs, in the same way as the
 * process that executes a run: journals, checkpoints and results record it, and the run can still be resumed.
 * @param compiled returns the pipeline of the run in a directory, which may be that of a run below
 * @throws RunError `run_locked` for a run that is executed, or one below it, `run_damaged`, `storage`, or
 * `usage` for a run that has ended or never began, or whose pipeline has errors
 */
export async function cancelRun(
  directory: string,
  compiled: CompileRun,
  environment: CancelEnvironment = {},
): Promise<RunResult> {
  const { clock = systemClock, fileSystem = nodeFileSystem, onEvent, durableLog } = environment;
  const manifest = readManifest(directory, fileSystem);
  if (durableLog === undefined) refuseCopy(directory, manifest);
  const program = programIn(compiled(directory), directory);
  const lock = environment.lock ?? acquireLock(path.join(directory, runFiles.lock), fileSystem);
  try {
    const settings = { ...settingsOf(manifest), script: emptyScript };
    const basis = recordedSession({ directory, manifest, program, settings }, fileSystem);
    const { status } = basis.state;
    if (status !== 'running' && status !== 'paused') {
      const why = status === 'created' ? 'it died before doing anything' : `its status is ${status}`;
      throw new RunError('usage', `the run ${directory} cannot be cancelled: ${why}`);
    }
    await endLeftTools({ directory, state: basis.state, fileSystem, onNotice: environment.onNotice });
    await cancelChildren(directory, compiled, environment);
    return await driveRun(
      { ...basis, lock },
      {
        ports: { clock, fileSystem, onEvent, interviewer: absentInterviewer },
        handlers: new Map(),
        entryOf: (_nodeId, execution) => execution,
        durableLog,
      },
      { kind: 'cancel' },
    );
  } finally {
    if (environment.lock === undefined) lock.release();
  }
}

function programIn({ program, diagnostics }: CompiledRun, directory: string): Program {
  if (program !== undefined) return program;
  const problem = diagnostics.find(({ severity }) => severity === 'error')?.message ?? 'it has errors';
  throw new RunError('usage', `the pipeline of ${directory} can no longer be read: ${problem}`);
}

/**
 * Cancels the child runs; one that cannot be read any more is reported, and does not keep the run above
 * from being cancelled.
 */
async function cancelChildren(
  directory: string,
  compiled: CompileRun,
  { clock, fileSystem, onNotice, durableLog }: CancelEnvironment,
): Promise<void> {
  for (const child of childRunsOf(directory, readView(directory))) {
    try {
      const { status } = readView(child.directory);
      if (status !== 'running' && status !== 'paused') continue;
      const below = durableLog?.below(child.directory);
      await cancelRun(child.directory, compiled, { clock, fileSystem, onNotice, durableLog: below });
    } catch (error) {
      if (error instanceof RunError && error.code === 'run_locked') {
        throw new RunError(
          'run_locked',
          `the run ${directory} was not cancelled: its stage "${child.nodeId}" has started ${child.directory}, and ${error.message}`,
          { cause: error },
        );
      }
      onNotice?.(`the child run ${child.directory} could not be cancelled: ${messageOf(error)}`);
    }
  }
}
