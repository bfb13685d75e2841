import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describeSystemError } from '../../run-directory/run-error.js';

/**
 * Text of a pipeline.
 * @returns undefined if there is no such file, an error if it is not text
 */
export function readText(file: string): string | Error | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return new Error(error instanceof TypeError ? 'it is not UTF-8 text' : describeSystemError(error));
  }
}

/**
 * Directory to which the files of children are relative: that of the pipeline, or the working directory of
 * the run.
 */
export function childHome(sourcePath: string | undefined, workingDirectory: string): string {
  return sourcePath === undefined ? workingDirectory : path.dirname(sourcePath);
}

/** Path of a file in messages: relative if it is below the current directory. */
export function displayed(file: string): string {
  const relative = path.relative('', file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}
