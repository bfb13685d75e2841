import path from 'node:path';
import { runsHome } from './find-run.js';

/** A run as the next call may name it (SEMANTICS 89): by its id where that is enough, else by a path; quoted for a shell. */
export function runName(directory: string, cwd: string): string {
  const absolute = path.resolve(cwd, directory);
  if (path.dirname(absolute) === runsHome(cwd)) return quoted(path.basename(absolute));
  const relative = path.relative(cwd, absolute);
  return quoted(relative === '' || relative.startsWith('..') ? absolute : relative);
}

function quoted(word: string): string {
  return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
