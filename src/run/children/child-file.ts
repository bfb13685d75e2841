import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describeSystemError } from '../../run-directory/run-error.js';

/** The text of a pipeline. @returns undefined where there is no such file, an error where it is not text */
export function readText(file: string): string | Error | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return new Error(error instanceof TypeError ? 'it is not UTF-8 text' : describeSystemError(error));
  }
}

/** The directory from which the files of children are seen: that of the pipeline, or the working directory of the run. */
export function childHome(sourcePath: string | undefined, workingDirectory: string): string {
  return sourcePath === undefined ? workingDirectory : path.dirname(sourcePath);
}

/** A file as messages call it: relative where that is shorter to read, below the current directory. */
export function displayed(file: string): string {
  const relative = path.relative('', file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}
