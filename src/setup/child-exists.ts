import { statSync } from 'node:fs';
import path from 'node:path';

/**
 * Looks for the pipelines that a file names, relative to its directory; those of standard input relative to
 * the current one.
 */
export function childExistsBeside(file: string, cwd: string): (child: string) => boolean {
  const home = file === '-' ? cwd : path.dirname(path.resolve(cwd, file));
  return (child) => {
    const found = statSync(path.resolve(home, child), { throwIfNoEntry: false });
    return found !== undefined;
  };
}
