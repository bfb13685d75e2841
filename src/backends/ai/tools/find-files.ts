import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listFirst } from '../../../diagnostic/list-first.js';
import { type DirectoryEntries, readEntries } from '../../../run-directory/undecodable-names.js';
import { type ToolContext, ToolProblem } from './agent-tool.js';
import { confinedPath, shownPath } from './confined-path.js';
import { type GlobPattern, globPattern } from './glob-pattern.js';

/** Directories that are left out unless they are named. */
const usuallyLeftOut = ['.git', 'node_modules', '.attractor'];

/** Longest glob, in characters. */
const longestGlob = 500;

/** Maximum of files and directories that one search visits. */
const mostEntries = 100_000;

/** Files and directories after which the search yields to other work. */
const entriesInOneTurn = 500;

export interface FoundFiles {
  /** Paths relative to the working directory, sorted. */
  readonly files: readonly string[];
  /** False where the search ended at `mostEntries`. */
  readonly isComplete: boolean;
  /** Names that are not UTF-8, as Node shows them, below the directory. */
  readonly undecodable: readonly string[];
}

/** Notices of what a search left out: it ended early, or met names that no tool but `run_command` can reach. */
export function searchNotices({ isComplete, undecodable }: FoundFiles): readonly string[] {
  const notices = isComplete
    ? []
    : [
        `[… the search stopped after ${mostEntries} files and directories; name a directory with "path", or a pattern that begins with one]`,
      ];
  if (undecodable.length === 0) return notices;
  const names = listFirst(undecodable, 5);
  return [
    ...notices,
    `[… left out, since these names are not UTF-8 and only run_command can reach them: ${names}]`,
  ];
}

/**
 * Files below a directory that match a pattern. Links are not followed, so that nothing outside is found.
 * @throws ToolProblem for a pattern that leads out or is malformed
 */
export async function findFiles(
  context: ToolContext,
  pattern: string,
  directory = '.',
  limit = mostEntries,
): Promise<FoundFiles> {
  if (path.isAbsolute(pattern) || pattern.split(/[\\/]/).includes('..')) {
    throw new ToolProblem(`the pattern "${pattern}" leads out of the directory: use one such as "**/*.ts"`);
  }
  if (pattern.length > longestGlob) {
    throw new ToolProblem(
      `the pattern has ${pattern.length} characters; at most ${longestGlob} can be searched for`,
    );
  }
  const root = await confinedPath(context, directory);
  const glob = globPattern(pattern);
  const named = `${directory}/${pattern}`.split('/');
  const leftOut = new Set(usuallyLeftOut.filter((name) => !named.includes(name)));
  const found = await walk(root, { glob, leftOut, limit, signal: context.signal });
  const shown = (names: readonly string[]): readonly string[] =>
    names.map((name) => shownPath(context, path.join(root, name))).toSorted();
  return { ...found, files: shown(found.files), undecodable: shown(found.undecodable) };
}

interface Search {
  readonly glob: GlobPattern;
  readonly leftOut: ReadonlySet<string>;
  readonly limit: number;
  readonly signal: AbortSignal;
}

async function walk(root: string, { glob, leftOut, limit, signal }: Search): Promise<FoundFiles> {
  const files: string[] = [];
  const undecodable: string[] = [];
  const directories = (await isRealDirectory(root, glob.base)) ? [glob.base] : [];
  let looked = 0;
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
    const { entries, undecodable: others } = await entriesOf(path.join(root, directory));
    undecodable.push(...others.map(({ name }) => joined(directory, name)));
    for (const entry of entries) {
      if (looked === limit) return { files, undecodable, isComplete: false };
      looked += 1;
      if (looked % entriesInOneTurn === 0) await nextTurn();
      signal.throwIfAborted();
      const name = joined(directory, entry.name);
      if (entry.isFile() && glob.matches(name)) files.push(name);
      const isSearched = entry.isDirectory() && !leftOut.has(entry.name);
      if (isSearched && name.split('/').length < glob.depth) directories.push(name);
    }
  }
  return { files, undecodable, isComplete: true };
}

function joined(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`;
}

/** True if no part of a path below a directory is a link. */
async function isRealDirectory(root: string, base: string): Promise<boolean> {
  let directory = root;
  for (const name of base.split('/')) {
    directory = path.join(directory, name);
    const status = await lstat(directory).catch(() => undefined);
    if (status?.isDirectory() !== true) return false;
  }
  return true;
}

/** Entries of a directory; none if it is gone or unreadable. */
async function entriesOf(directory: string): Promise<DirectoryEntries> {
  try {
    return await readEntries(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return { entries: [], undecodable: [] };
  }
}
