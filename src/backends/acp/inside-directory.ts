import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isPromptValueFile } from '../prompt-value-file.js';

/**
 * Real path of a file that may not exist yet, if it lies in a directory once all symbolic links are
 * followed; undefined if it does not, or if that cannot be determined.
 */
export function insideDirectory(file: string, directory: string): string | undefined {
  try {
    const root = realpathSync(directory);
    const real = realPathOf(path.resolve(root, file));
    const relative = path.relative(root, real);
    const isInside = relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
    return isInside ? real : undefined;
  } catch {
    return undefined;
  }
}

/** Real path of a value that was too long for a prompt of the run (SEMANTICS 104); undefined for any other file. */
export function promptValueIn(file: string, runDirectory: string): string | undefined {
  const real = insideDirectory(file, runDirectory);
  return real !== undefined && isPromptValueFile(real, realpathSync(runDirectory)) ? real : undefined;
}

/**
 * Real path; the missing end of it is appended to that of the nearest existing directory, and a dangling
 * link is followed.
 */
function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    const above = path.dirname(file);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === file) throw error;
    const real = path.join(realPathOf(above), path.basename(file));
    const isLink = lstatSync(real, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? realPathOf(path.resolve(path.dirname(real), readlinkSync(real))) : real;
  }
}
