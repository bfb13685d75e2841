import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { temporaryName } from '../run-directory/file-system.js';
import { describeSystemError } from '../run-directory/run-error.js';
import { locateFile } from './locate-file.js';
import { UsageError } from './usage-error.js';

/**
 * Replaces the content of a user's file: whole or not at all, with its permissions, and following a link. A
 * file that must not be written is left alone, though its directory would allow to replace it.
 * @param name as the user gave it, relative to the directory of the call
 * @throws UsageError with the reason
 */
export function replaceFile(name: string, directory: string, text: string): void {
  try {
    const target = realpathSync(locateFile(name, directory));
    accessSync(target, constants.W_OK);
    replace(target, text);
  } catch (error) {
    throw new UsageError(`cannot write ${name}: ${describeSystemError(error)}`);
  }
}

function replace(target: string, text: string): void {
  const { mode } = statSync(target);
  const temporary = temporaryName(path.join(path.dirname(target), `.${path.basename(target)}`));
  try {
    writeWhole(temporary, text, mode);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writeWhole(file: string, text: string, mode: number): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    writeFileSync(descriptor, text);
    fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
