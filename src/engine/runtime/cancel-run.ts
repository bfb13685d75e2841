import path from 'node:path';
import type { Program } from '../../graph/program.js';
import { type Clock, systemClock } from './clock.js';
import { type FileSystem, nodeFileSystem } from './file-system.js';
import { absentInterviewer } from './interviewer.js';
import { acquireLock } from './lock.js';
import { readManifest } from './manifest.js';
import { foldJournal, readJournalOf } from './resume-run.js';
import { RunError } from './run-error.js';
import { runFiles } from './run-files.js';
import { historyOf } from './run-history.js';
import type { RunResult } from './run-result.js';
import { driveRun, type RunEnvironment } from './run-session.js';
import { emptyScript } from './simulation-script.js';

/** What cancelling needs of its process: no stage is executed. */
export interface CancelEnvironment {
  readonly clock?: Clock | undefined;
  readonly fileSystem?: FileSystem | undefined;
  readonly onEvent?: RunEnvironment['onEvent'];
}

/**
 * Cancels a run that is paused or was cut off (SEMANTICS 76): the journal, the checkpoint and the result say so, and
 * resuming goes on all the same.
 * @throws RunError `run_locked`, `run_damaged`, `storage`, or `usage` for a run that has ended or never began
 */
export async function cancelRun(
  directory: string,
  program: Program,
  { clock = systemClock, fileSystem = nodeFileSystem, onEvent }: CancelEnvironment = {},
): Promise<RunResult> {
  const manifest = readManifest(directory, fileSystem);
  const lock = acquireLock(path.join(directory, runFiles.lock), fileSystem);
  try {
    const journal = readJournalOf(directory, fileSystem);
    const state = foldJournal(program, journal, directory);
    if (state.status !== 'running' && state.status !== 'paused') {
      const why =
        state.status === 'created' ? 'it died before anything was done' : `its status is ${state.status}`;
      throw new RunError('usage', `the run ${directory} cannot be cancelled: ${why}`);
    }
    return await driveRun(
      {
        program,
        directory,
        state,

        history: historyOf(program, journal.events),
        journalSize: journal.size,
        graphHash: manifest.graph_hash,
        workingDirectory: manifest.working_directory,
        simulate: manifest.options.simulate,
        script: emptyScript,
      },
      { clock, fileSystem, onEvent, handlers: new Map(), interviewer: absentInterviewer },
      { kind: 'cancel' },
    );
  } finally {
    lock.release();
  }
}
