import path from 'node:path';
import { valueFileName } from '../handlers/fit-prompt.js';

/**
 * True for the real path of a file with a value that was too long for a prompt of the run (SEMANTICS 104): models and agents may
 * read it, wherever they work.
 */
export function isPromptValueFile(real: string, runDirectory: string): boolean {
  const relative = path.relative(runDirectory, real);
  const isBelow = relative !== '' && !path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..';
  return isBelow && valueFileName.test(path.basename(real));
}
