import { lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import { RunError } from '../run-directory/run-error.js';
import { userFile } from '../run-directory/user-file.js';
import type { Variables } from '../secrets/find-secrets.js';

/** Names of a configuration file. */
export const configurationNames = [
  'attractor.config.json',
  'attractor.config.yaml',
  'attractor.config.yml',
] as const;

/** Result of the search for a configuration file. */
export interface FoundConfiguration {
  readonly file: string | undefined;
  /** Files on the way that another user could have written, each with the reason. */
  readonly ignored: readonly string[];
}

/** Owner and permissions of a file, and of the link if it is one; undefined if there is no such file. */
export type InspectFile = (file: string) => readonly FileOwner[] | undefined;

interface FileOwner {
  readonly uid: number;
  readonly mode: number;
  isSymbolicLink(): boolean;
}

/**
 * Finds the configuration file for a directory: the nearest one, there or further up, that belongs to this
 * user or to root and that others cannot write. It runs code, so a file that another user could have put
 * into a parent directory is ignored.
 * @throws RunError `usage` where a directory has two of them
 */
export function findConfiguration(
  directory: string,
  user = process.getuid?.(),
  inspect: InspectFile = inspectFile,
): FoundConfiguration {
  const ignored: string[] = [];
  for (let folder = path.resolve(directory); ; folder = path.dirname(folder)) {
    const inFolder = configurationIn(folder, user, inspect);
    ignored.push(...inFolder.ignored);
    if (inFolder.file !== undefined || folder === path.dirname(folder))
      return { file: inFolder.file, ignored };
  }
}

/**
 * Finds the configuration file that a user keeps for all pipelines, next to the key file.
 * @throws RunError `usage` where there are two of them
 */
export function findUserConfiguration(
  variables: Variables,
  user = process.getuid?.(),
  inspect: InspectFile = inspectFile,
): FoundConfiguration {
  const [name] = configurationNames;
  const file = userFile(name, variables);
  if (file === undefined) return { file, ignored: [] };
  return configurationIn(path.dirname(file), user, inspect);
}

function configurationIn(folder: string, user: number | undefined, inspect: InspectFile): FoundConfiguration {
  const ignored: string[] = [];
  const trusted: string[] = [];
  for (const name of configurationNames) {
    const file = path.join(folder, name);
    const owners = inspect(file);
    if (owners === undefined) continue;
    const distrust = user === undefined ? undefined : reasonToDistrust(owners, user);
    if (distrust === undefined) trusted.push(name);
    else ignored.push(`${file} ${distrust}, so it is ignored; use it with --config ${file}`);
  }
  if (trusted.length > 1) {
    throw new RunError(
      'usage',
      `${folder} has ${trusted.join(' and ')}: keep one of them, or choose one with --config`,
    );
  }
  const [name] = trusted;
  return { file: name && path.join(folder, name), ignored };
}

const writableByOthers = 0o002;

function reasonToDistrust(owners: readonly FileOwner[], user: number): string | undefined {
  const stranger = owners.find(({ uid }) => uid !== user && uid !== 0);
  if (stranger !== undefined) return `belongs to another user (uid ${stranger.uid})`;
  // A link has no permissions.
  const isOpen = owners.some((owner) => !owner.isSymbolicLink() && (owner.mode & writableByOthers) !== 0);
  return isOpen ? 'can be written by all users' : undefined;
}

function inspectFile(file: string): readonly FileOwner[] | undefined {
  try {
    return [lstatSync(file), statSync(file)];
  } catch {
    // There is none, or nobody may see it.
    return undefined;
  }
}
