import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { didYouMean } from '../diagnostic/did-you-mean.js';
import { RunError } from '../engine/runtime/run-error.js';
import { holdsRun } from '../engine/runtime/run-files.js';

/** Where runs are kept by default (DESIGN §4). */
export function runsHome(cwd: string): string {
  return path.join(cwd, '.attractor', 'runs');
}

/**
 * The directory of a run named by its id or by a path (SEMANTICS 89).
 * @throws RunError `run_not_found`
 */
export function findRun(name: string, cwd: string): string {
  const candidates = [path.join(runsHome(cwd), name), path.resolve(cwd, name)];
  const found = name === '' ? undefined : candidates.find((candidate) => holdsRun(candidate));
  if (found !== undefined) return found;
  const isDirectory = name !== '' && existsSync(path.resolve(cwd, name));
  const what = isDirectory ? `${name} holds no run` : `there is no run "${name}"`;
  const hint = didYouMean(name, runIds(cwd));
  throw new RunError(
    'run_not_found',
    `${what}${hint}. \`attractor runs\` lists the runs below ${runsHome('.')}`,
  );
}

/** The ids below the home of runs, the oldest first. */
export function runIds(cwd: string): readonly string[] {
  try {
    return readdirSync(runsHome(cwd))
      .filter((id) => holdsRun(path.join(runsHome(cwd), id)))
      .sort();
  } catch {
    return [];
  }
}
