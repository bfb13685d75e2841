import { readdirSync } from 'node:fs';
import path from 'node:path';
import { didYouMean } from '../diagnostic/did-you-mean.js';
import { attractorDirectory } from '../run-directory/durable-file.js';
import { statusOfNamed } from '../run-directory/named-file.js';
import { describeSystemError, RunError } from '../run-directory/run-error.js';
import { holdsRun } from '../run-directory/run-files.js';
import { readEntriesSync } from '../run-directory/undecodable-names.js';
import { UsageError } from './usage-error.js';

/** Default directory of runs (DESIGN §4). */
export function runsHome(cwd: string): string {
  return path.join(cwd, attractorDirectory, 'runs');
}

/** Directory for copies of runs that a cluster executes. */
export function clusterHome(cwd: string): string {
  return path.join(cwd, attractorDirectory, 'cluster');
}

/**
 * Directory of a run named by its id or by a path (SEMANTICS 89).
 * @throws RunError `run_not_found`, UsageError if it cannot be read
 */
export function findRun(name: string, cwd: string): string {
  const candidates = [path.join(runsHome(cwd), name), path.resolve(cwd, name)];
  const found = name === '' ? undefined : candidates.find((candidate) => holdsRun(candidate));
  if (found !== undefined) return found;
  for (const candidate of candidates) checkReadable(candidate);
  throw new RunError('run_not_found', `${whyNot(name, cwd)}. ${listHint}`);
}

const listHint = `\`attractor runs\` lists the runs below ${runsHome('.')}`;

function whyNot(name: string, cwd: string): string {
  const stats = name === '' ? undefined : statusOfNamed(path.resolve(cwd, name));
  if (stats?.isFile())
    return `${name} is a file, not a run directory; to start a run: \`attractor run ${name}\``;
  if (stats !== undefined) return `${name} contains no run`;
  return `there is no run "${name}"${didYouMean(name, runIds(cwd))}`;
}

/**
 * Distinguishes an unreadable directory from one without a run.
 * @throws UsageError
 */
function checkReadable(directory: string): void {
  try {
    readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return;
    throw new UsageError(`${directory} cannot be read: ${describeSystemError(error)}`);
  }
}

/** Names in the default directory of runs that are not UTF-8, as Node shows them: no call reaches what they name. */
export function undecodableRuns(cwd: string): readonly string[] {
  try {
    return readEntriesSync(runsHome(cwd)).undecodable.map(({ name }) => name);
  } catch {
    return [];
  }
}

/**
 * Ids of the runs in the default directory, the oldest first.
 * @throws UsageError if it cannot be read
 */
export function runIds(cwd: string): readonly string[] {
  return runIdsIn(runsHome(cwd));
}

/** The same for any directory of runs. */
export function runIdsIn(home: string): readonly string[] {
  checkReadable(home);
  try {
    return readEntriesSync(home)
      .entries.map(({ name }) => name)
      .filter((id) => holdsRun(path.join(home, id)))
      .sort();
  } catch {
    return [];
  }
}
