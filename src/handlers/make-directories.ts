import { mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Creates a directory and those above it. Not by Node's `recursive`, which never comes back in a file system
 * that says of a new directory that it does not exist, such as /proc.
 */
export function makeDirectories(directory: string, mode?: number): void {
  if (isDirectory(directory)) return;
  const parent = path.dirname(directory);
  if (parent !== directory) makeDirectories(parent, mode);
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    // Another process may have been faster.
    if (!isDirectory(directory)) throw error;
  }
}

function isDirectory(directory: string): boolean {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Creates a directory that only this user can enter, with a name that nobody can guess.
 * @throws an error that names the place and the way to another one
 */
export function makeTemporaryDirectory(prefix: string, place = temporaryPlace()): string {
  return inPlace(place, () => {
    makePlace(place);
    return mkdtempSync(path.join(place, prefix));
  });
}

/** Creates a new temporary directory by a name that was chosen before; otherwise like `makeTemporaryDirectory`. */
export function makeChosenTemporaryDirectory(directory: string): void {
  const place = path.dirname(directory);
  inPlace(place, () => {
    makePlace(place);
    mkdirSync(directory, { mode: 0o700 });
  });
}

/** Creates the directory for temporary files, unless its name may be damaged: that would be another directory. */
function makePlace(place: string): void {
  if (place.includes('\ufffd') && !isDirectory(place)) throw new Error('its name is not UTF-8');
  makeDirectories(place, 0o700);
}

/** Directory for temporary files of this user. */
export function temporaryPlace(): string {
  return path.resolve(tmpdir());
}

function inPlace<Result>(place: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw new Error(
      `no temporary directory can be created in ${place} (${String(error)}); set TMPDIR to a directory that you may write to`,
      { cause: error },
    );
  }
}
