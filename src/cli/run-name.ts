import path from 'node:path';
import { clusterHome, runsHome } from '../setup/find-run.js';

/** A run as the next call may name it (SEMANTICS 89): by its id where that is enough, else by a path; quoted for a shell. */
export function runName(directory: string, cwd: string): string {
  const absolute = path.resolve(cwd, directory);
  const home = path.dirname(absolute);
  if (home === runsHome(cwd) || home === clusterHome(cwd)) return shellWord(path.basename(absolute));
  const relative = path.relative(cwd, absolute);
  return shellWord(relative === '' || relative.startsWith('..') ? absolute : relative);
}

/** A word as a person types it into a shell. */
export function shellWord(word: string): string {
  return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
