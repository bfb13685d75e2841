import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Path of a program that an agent needs: the one that the project has installed (`node_modules/.bin`, here
 * or above), else the one in the search path; undefined if neither has it.
 * @param name of the program, or a path to it, which may be relative to the directory
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
  return firstIn(places, name);
}

/**
 * True if a shell, or the system, finds a program by its name.
 * @param name of the program, or a path to it, which may be relative to the directory
 */
export function isInstalled(name: string, directory: string, searchPath: string | undefined): boolean {
  if (name.includes('/')) return isExecutable(path.resolve(directory, name));
  const places = (searchPath ?? '').split(path.delimiter).map((place) => path.resolve(directory, place));
  return firstIn(places, name) !== undefined;
}

function firstIn(places: readonly string[], name: string): string | undefined {
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
