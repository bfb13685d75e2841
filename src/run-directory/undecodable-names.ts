import { isUtf8 } from 'node:buffer';
import { type Dirent, promises, readdirSync, readFileSync, statSync } from 'node:fs';

// Linux allows any bytes in a name. Node decodes them as UTF-8, with U+FFFD for what it cannot decode: a call with such a
// name reaches no file, or another one that really has this character.

/** True for a text that may have lost bytes. */
export function mayBeUndecodable(text: string): boolean {
  return text.includes('\ufffd');
}

/** Entries of a directory. */
export interface DirectoryEntries {
  /** Those that a call can reach. */
  readonly entries: readonly DirectoryEntry[];
  /** The others, with their names as Node shows them. */
  readonly undecodable: readonly DirectoryEntry[];
}

export interface DirectoryEntry {
  readonly name: string;
  isFile(): boolean;
  isDirectory(): boolean;
}

/** Reads a directory, and separates the names that are not UTF-8. @throws a system error */
export async function readEntries(directory: string): Promise<DirectoryEntries> {
  // Node loads `promises` where it is first used: most commands never do.
  const entries = await promises.readdir(directory, { withFileTypes: true });
  return entries.some(isDoubtful)
    ? separate(await promises.readdir(directory, { withFileTypes: true, encoding: 'buffer' }))
    : { entries, undecodable: [] };
}

/** Like `readEntries`, but waits for the system. @throws a system error */
export function readEntriesSync(directory: string): DirectoryEntries {
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries.some(isDoubtful)
    ? separate(readdirSync(directory, { withFileTypes: true, encoding: 'buffer' }))
    : { entries, undecodable: [] };
}

function isDoubtful({ name }: DirectoryEntry): boolean {
  return mayBeUndecodable(name);
}

function separate(found: readonly Dirent<Buffer>[]): DirectoryEntries {
  const undecodable: DirectoryEntry[] = [];
  const entries: DirectoryEntry[] = [];
  for (const entry of found) {
    const target = isUtf8(entry.name) ? entries : undecodable;
    const name = entry.name.toString();
    target.push({ name, isFile: () => entry.isFile(), isDirectory: () => entry.isDirectory() });
  }
  return { entries, undecodable };
}

/** True if the path of the working directory of this process lost bytes: it leads elsewhere. */
export function isWorkingDirectoryUndecodable(): boolean {
  const directory = process.cwd();
  if (!mayBeUndecodable(directory)) return false;
  const shown = statSync(directory, { throwIfNoEntry: false });
  const real = statSync('.');
  return shown === undefined || shown.ino !== real.ino || shown.dev !== real.dev;
}

/** Arguments of this process that lost bytes; none if the system does not tell. */
export function undecodableArguments(): readonly string[] {
  if (!process.argv.some(mayBeUndecodable)) return [];
  return partsOf('/proc/self/cmdline');
}

function partsOf(file: string): readonly string[] {
  try {
    // One character for each byte, so that parts keep theirs.
    const parts = readFileSync(file, 'latin1').split('\0');
    return parts
      .map((part) => Buffer.from(part, 'latin1'))
      .flatMap((part) => (isUtf8(part) ? [] : [part.toString()]));
  } catch {
    return [];
  }
}
