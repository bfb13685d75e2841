import { type Dirent, readdir } from 'node:fs';
import path from 'node:path';
import { listFirst } from '../diagnostic/list-first.js';
import { statusOfNamed } from '../run-directory/named-file.js';
import {
  type DirectoryEntries,
  mayBeUndecodable,
  readEntriesSync,
} from '../run-directory/undecodable-names.js';
import type { Io } from './io.js';

/** The files that a call names. */
export interface NamedFiles {
  /** Files as a person would write them; `-` for standard input. Each once, in the order of the call. */
  readonly files: readonly string[];
  /** Those of them that were found below a directory: nobody has named them. */
  readonly found: ReadonlySet<string>;
  /** Arguments that match no file, in words. */
  readonly problems: readonly string[];
}

/** Files that are meant by the name of a directory. */
export interface WantedFiles {
  /** Pattern below the directory. */
  readonly pattern: string;
  readonly isWanted: (name: string) => boolean;
  /** Message for a directory without any. @param directory absolute */
  readonly none: (argument: string, directory: string) => Promise<string>;
}

/** Never searched, unless the call names them: what others have written, and what runs leave. */
const ignoredFolders: readonly string[] = ['node_modules', '.git', '.attractor'];

/** Pipelines, which `lint` and `fmt` look for. */
const pipelines: WantedFiles = {
  pattern: '**/*.dot',
  isWanted: (name) => name.endsWith('.dot'),
  none: noDotFile,
};

/**
 * Files of the arguments of a command: a file is itself, a directory all wanted files below it, and
 * anything else with `*`, `?`, `[…]` or `{…}` a pattern, which a shell may or may not have expanded. Links
 * are not followed. A missing file is left to its reader to report.
 */
export async function namedFiles(
  args: readonly string[],
  io: Pick<Io, 'cwd'>,
  wanted: WantedFiles = pipelines,
): Promise<NamedFiles> {
  const files = new Map<string, string>();
  const problems: string[] = [];
  const named = new Set<string>();
  for (const argument of args) {
    const lost = new Set<string>();
    const matches = await filesOf(argument, io.cwd(), wanted, lost);
    for (const file of lost) {
      problems.push(`cannot read ${path.relative(io.cwd(), file)}: its name is not UTF-8; rename it`);
    }
    if (typeof matches === 'string') problems.push(matches);
    else for (const file of matches) addOnce(files, file, io.cwd());
    if (!isDirectory(argument, io.cwd()) && typeof matches !== 'string')
      for (const file of matches) named.add(path.resolve(io.cwd(), file));
  }
  const found = [...files.values()].filter(
    (file) => file !== '-' && !named.has(path.resolve(io.cwd(), file)),
  );
  return { files: [...files.values()], found: new Set(found), problems };
}

/**
 * Directory below which an argument may match other files later; undefined for a file, which stays itself.
 */
export function searchedFolder(argument: string, cwd: string): string | undefined {
  if (argument === '-') return undefined;
  const stats = statusOfNamed(path.resolve(cwd, argument));
  if (stats !== undefined) return stats.isDirectory() ? argument : undefined;
  if (!isPattern(argument)) return undefined;
  const parts = withSlashes(argument).split('/');
  const fixed = parts.slice(0, parts.findIndex(isPattern)).join('/');
  return fixed === '' && path.isAbsolute(argument) ? '/' : fixed || '.';
}

/** True if a file is in a folder that is not searched. */
export function isIgnored(file: string): boolean {
  return withSlashes(file)
    .split('/')
    .some((part) => ignoredFolders.includes(part));
}

function addOnce(files: Map<string, string>, file: string, cwd: string): void {
  const key = file === '-' ? file : path.resolve(cwd, file);
  if (!files.has(key)) files.set(key, file);
}

/**
 * @param lost receives what is below a directory and cannot be reached, because its name is not UTF-8
 * @returns a problem as a text
 */
async function filesOf(
  argument: string,
  cwd: string,
  wanted: WantedFiles,
  lost: Set<string>,
): Promise<readonly string[] | string> {
  if (argument === '-') return [argument];
  if (isDirectory(argument, cwd)) {
    const found = await search(wanted.pattern, path.resolve(cwd, argument), ignoredFolders, (directory) =>
      noteLost(directory, wanted, lost),
    );
    return found.length === 0
      ? await wanted.none(argument, path.resolve(cwd, argument))
      : found.map((file) => path.join(argument, file));
  }
  if (isThere(argument, cwd) || !isPattern(argument)) return [argument];
  const pattern = withSlashes(argument);
  const ignored = ignoredFolders.filter((folder) => !pattern.split('/').includes(folder));
  const found = await search(pattern, cwd, ignored);
  return found.length === 0
    ? `no file matches ${argument}; ** matches any number of directories, * part of a name`
    : found;
}

/** Extensions of texts in DOT, besides that of pipelines. */
const dotExtensions = ['.gv', '.dotfile', '.graphviz'];

/** Message with the files in a directory, and the way to name them: a directory matches `.dot` files only. */
async function noDotFile(argument: string, directory: string): Promise<string> {
  const counts = new Map<string, number>();
  for (const file of await search('**/*.*', directory, ignoredFolders)) {
    const extension = path.extname(file);
    counts.set(extension, (counts.get(extension) ?? 0) + 1);
  }
  const isDot = (extension: string): number => (dotExtensions.includes(extension) ? 1 : 0);
  const found = [...counts].sort(
    ([one, times], [other, otherTimes]) => isDot(other) - isDot(one) || otherTimes - times,
  );
  const [most] = found;
  if (most === undefined) return `there is no .dot file below ${argument}; name a file, or another directory`;
  const kinds = listFirst(
    found.map(([extension, count]) => `${count} ${extension}`),
    3,
  );
  const pattern = withSlashes(path.join(argument, `**/*${most[0]}`));
  return `there is no .dot file below ${argument}, but ${kinds}; ${
    isDot(most[0])
      ? `name such files by a pattern, as in "${pattern}"`
      : 'name the files that are pipelines, or another directory'
  }`;
}

/**
 * Searches files, in an order that depends on no locale and no file system.
 * @param onUndecodable called with each directory that has names that are not UTF-8
 */
async function search(
  pattern: string,
  cwd: string,
  ignored: readonly string[],
  onUndecodable?: (directory: string) => ReadonlySet<string>,
): Promise<readonly string[]> {
  const { glob } = await import('tinyglobby');
  const found = await glob(pattern, {
    cwd,
    absolute: path.isAbsolute(pattern),
    expandDirectories: false,
    followSymbolicLinks: false,
    fs: onUndecodable && { readdir: readdirWith(onUndecodable) },
    ignore: ignored.map((folder) => `**/${folder}/**`),
  });
  return found.sort((one, other) => (one < other ? -1 : 1));
}

/** `readdir` that leaves out what a search could not reach. */
function readdirWith(onUndecodable: (directory: string) => ReadonlySet<string>): typeof readdir {
  const read = (directory: string, _options: unknown, done: EntriesCallback): void => {
    readdir(directory, { withFileTypes: true }, (error, entries = []) => {
      if (error !== null || !entries.some(({ name }) => mayBeUndecodable(name))) return done(error, entries);
      const names = onUndecodable(directory);
      done(
        null,
        entries.filter(({ name }) => names.has(name)),
      );
    });
  };
  return read as typeof readdir;
}

/**
 * Names that a search can reach.
 * @param lost receives directories and wanted files whose names are not UTF-8
 */
function noteLost(directory: string, { isWanted }: WantedFiles, lost: Set<string>): ReadonlySet<string> {
  const { entries, undecodable } = entriesIn(directory);
  for (const entry of undecodable) {
    const isSearched = !entry.name.startsWith('.') && (entry.isDirectory() || isWanted(entry.name));
    if (isSearched) lost.add(path.join(directory, entry.name));
  }
  return new Set(entries.map(({ name }) => name));
}

/** Entries of a directory; none if it has gone meanwhile. */
function entriesIn(directory: string): DirectoryEntries {
  try {
    return readEntriesSync(directory);
  } catch {
    return { entries: [], undecodable: [] };
  }
}

type EntriesCallback = (error: NodeJS.ErrnoException | null, entries: Dirent[]) => void;

function isThere(argument: string, cwd: string): boolean {
  return statusOfNamed(path.resolve(cwd, argument)) !== undefined;
}

function isDirectory(argument: string, cwd: string): boolean {
  return statusOfNamed(path.resolve(cwd, argument))?.isDirectory() ?? false;
}

function isPattern(text: string): boolean {
  return /[*?[\]{}]/.test(text);
}

function withSlashes(file: string): string {
  return path.sep === '\\' ? file.replaceAll('\\', '/') : file;
}
