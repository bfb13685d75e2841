import path from 'node:path';
import { readRegularFile } from '../../run-directory/named-file.js';
import { describeSystemError } from '../../run-directory/run-error.js';

/**
 * Text of a file that a pipeline names. Never waits: a pipe or a device is not read.
 * @returns undefined if there is no such file, an error if it is not text
 */
export function readChildText(file: string): string | Error | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readRegularFile(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ERR_INVALID_ARG_VALUE') return new Error('no file can have this name');
    return new Error(isDecodingError(error) ? 'it is not UTF-8 text' : describeSystemError(error));
  }
}

function isDecodingError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}

/**
 * Directory to which the files of children are relative: that of the pipeline, or the working directory of
 * the run.
 */
export function childHome(sourcePath: string | undefined, workingDirectory: string): string {
  return sourcePath === undefined ? workingDirectory : path.dirname(sourcePath);
}

/** Path of a file in messages: relative if it is below the current directory. */
export function displayed(file: string, directory = ''): string {
  const relative = path.relative(directory, file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}
