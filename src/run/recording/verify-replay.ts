import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Compilation } from '../../compiler/compile.js';
import { messageOf } from '../../handlers/error-category.js';
import { makeTemporaryDirectory } from '../../handlers/make-directories.js';
import type { RunEvent } from '../../machine/event.js';
import { readManifest } from '../../run-directory/manifest.js';
import { RunError } from '../../run-directory/run-error.js';
import { runFiles } from '../../run-directory/run-files.js';
import { startRun } from '../run.js';
import type { RunOptions } from '../run-options.js';
import { parseRunSettings } from '../run-settings.js';
import { comparedRun } from './compared-run.js';
import { journalDifference } from './journal-difference.js';

/** Result of playing a run back. */
export interface ReplayVerdict {
  readonly identical: boolean;
  /** End of the replay. */
  readonly status: 'success' | 'fail' | 'paused' | 'cancelled';
  readonly failure_reason?: string;
  /** First difference of the journals. */
  readonly difference?: {
    /** Directory of a stage's run, in that of the run. */
    readonly child?: string;
    readonly recorded?: RunEvent;
    readonly now?: RunEvent;
    readonly diff: string;
  };
  /** Directory of the replay, if it is kept. */
  readonly run_dir?: string;
}

/**
 * Plays a recorded run back, and compares its journals, and those of its child runs, with the new ones (by
 * `comparableJournal`).
 * @param compilation of the pipeline of the run, or of another one
 * @throws RunError `usage` for a run that was not recorded, or if one of them cannot be read or written
 */
export async function verifyReplay(
  directory: string,
  compilation: Compilation,
  options: Omit<RunOptions, 'replay'> = {},
): Promise<ReplayVerdict> {
  const { working_directory: workingDirectory, source } = readManifest(directory);
  const home = options.runDirectory === undefined ? temporaryHome() : '';
  const runDirectory = options.runDirectory ?? path.join(home, 'run');
  try {
    const result = await startRun(
      compilation,
      parseRunSettings({
        ...options,
        workingDirectory: options.workingDirectory ?? workingDirectory,
        sourcePath: options.sourcePath ?? source ?? undefined,
        runDirectory,
        replay: directory,
      }),
    );
    if (result.status === 'invalid') throw new RunError('usage', `the pipeline of ${directory} cannot run`);
    const { status, failure_reason } = result;
    const difference = firstDifference(directory, runDirectory);
    return {
      identical: difference === undefined,
      status,
      failure_reason,
      difference,
      run_dir: home === '' ? runDirectory : undefined,
    };
  } finally {
    if (home !== '') rmSync(home, { recursive: true, force: true });
  }
}

/** Directory around a replay that is not kept. */
function temporaryHome(): string {
  try {
    return makeTemporaryDirectory('attractor-replay-');
  } catch (error) {
    throw new RunError('unusable_directory', `the replay has no place: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** First difference, in a child if the run is the same up to there, because that is more specific. */
function firstDifference(recorded: string, now: string): ReplayVerdict['difference'] {
  for (const child of childrenIn(recorded, now)) {
    const one = path.join(recorded, child);
    const other = path.join(now, child);
    const difference = journalDifference(comparedRun(one), comparedRun(other));
    if (difference === undefined) continue;
    const { recorded: before, now: after, diff } = difference;
    return { child: child === '' ? undefined : child, recorded: before, now: after, diff };
  }
  return undefined;
}

/**
 * Child runs of both, the deepest first, the run itself last. A child that only one of them has shows in
 * the journal above it.
 */
function childrenIn(recorded: string, now: string): readonly string[] {
  const [before, after] = [recorded, now].map((directory) =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => path.basename(name) === runFiles.journal)
      .map((name) => path.dirname(name))
      .map((name) => (name === '.' ? '' : name)),
  );
  const both = (before ?? []).filter((name) => after?.includes(name) === true);
  return both.sort((one, other) => other.length - one.length);
}
