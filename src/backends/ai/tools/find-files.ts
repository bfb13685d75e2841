import path from 'node:path';
import { type ToolPlace, ToolProblem } from './agent-tool.js';
import { confinedPath, shownPath } from './confined-path.js';

/** What nobody looks for unless it is named. */
const usuallyLeftOut = ['.git', 'node_modules', '.attractor'];

/**
 * Files below a directory that match a pattern, sorted, as paths relative to the working directory. Links to directories are
 * not followed, so that nothing outside is found.
 */
export async function findFiles(
  place: ToolPlace,
  pattern: string,
  directory = '.',
): Promise<readonly string[]> {
  if (path.isAbsolute(pattern) || pattern.split(/[\\/]/).includes('..')) {
    throw new ToolProblem(`the pattern "${pattern}" leads out of the directory: use one such as "**/*.ts"`);
  }
  const root = await confinedPath(place, directory);
  const { glob } = await import('tinyglobby');
  const isNamed = (name: string): boolean => `${directory}/${pattern}`.split('/').includes(name);
  const found = await glob(pattern, {
    cwd: root,
    dot: true,
    expandDirectories: false,
    followSymbolicLinks: false,
    ignore: usuallyLeftOut.filter((name) => !isNamed(name)).map((name) => `**/${name}/**`),
    signal: place.signal,
  });
  // Braces may hide a way out.
  const paths = found.map((file) => shownPath(place, path.join(root, file)));
  return paths.filter((file) => !file.startsWith('../')).toSorted();
}
