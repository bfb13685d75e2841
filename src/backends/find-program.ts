import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Where a program is that an agent needs: what the project itself has installed (`node_modules/.bin`, here or above), else what
 * the search path has; undefined where neither has it.
 * @param name of the program, or a path to it, which may begin at the directory
 */
export function findProgram(
  name: string,
  directory: string,
  searchPath: string | undefined,
): string | undefined {
  if (name.includes('/')) {
    const file = path.resolve(directory, name);
    return isExecutable(file) ? file : undefined;
  }
  const places = [...binariesAbove(directory), ...(searchPath ?? '').split(path.delimiter)];
  return places
    .filter((place) => path.isAbsolute(place))
    .map((place) => path.join(place, name))
    .find(isExecutable);
}

function binariesAbove(directory: string): readonly string[] {
  const places: string[] = [];
  let at = path.resolve(directory);
  while (true) {
    places.push(path.join(at, 'node_modules', '.bin'));
    const above = path.dirname(at);
    if (above === at) return places;
    at = above;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
