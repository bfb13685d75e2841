import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { stripStyles } from '../../diagnostic/terminal-text.js';

/** Files with the output of a command, in the order in which their ends are shown. */
export const outputNames = ['stderr.log', 'stdout.log'] as const;

/** Neither follows a link, nor waits for a pipe that a command has put there. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Part of a file, with what is needed to read on. */
export interface FilePart {
  readonly data: Buffer;
  readonly size: number;
  readonly inode: number;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/**
 * Reads a part of a file that a command may be writing, or may have replaced by anything.
 * @param offset of the first byte; a negative one counts from the end
 * @returns undefined if there is no such file
 */
export function readPart(file: string, offset: number, length: number): FilePart | undefined {
  try {
    const descriptor = openSync(file, flags);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) return undefined;
      const from = offset < 0 ? Math.max(0, stats.size + offset) : offset;
      const data = Buffer.alloc(Math.max(0, Math.min(length, stats.size - from)));
      const count = data.length === 0 ? 0 : readSync(descriptor, data, 0, data.length, from);
      return { data: data.subarray(0, count), size: stats.size, inode: stats.ino, changedAt: stats.mtimeMs };
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/** Interval of looks at the same file. */
const lookMs = 250;
/** Bytes at the end of a file in which its last line is looked for. */
const searched = 2000;

/** Last lines that running commands have printed, read seldom. */
export class LatestLines {
  readonly #latest = new Map<string, { readonly line: string; readonly at: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Last line that a command with files in this directory has printed so far; empty if there is none. */
  of(directory: string): string {
    const now = this.#now();
    const known = this.#latest.get(directory);
    if (known !== undefined && now - known.at < lookMs) return known.line;
    const line = latestLine(directory);
    this.#latest.set(directory, { line, at: now });
    return line;
  }

  /** Forgets directories that are no longer shown. */
  keep(directories: ReadonlySet<string>): void {
    for (const directory of this.#latest.keys())
      if (!directories.has(directory)) this.#latest.delete(directory);
  }
}

function latestLine(directory: string): string {
  const parts = outputNames.flatMap(
    (name) => readPart(path.join(directory, name), -searched, searched) ?? [],
  );
  const newestFirst = parts.sort((one, other) => other.changedAt - one.changedAt);
  const lines = newestFirst.map(({ data }) => {
    const text = stripStyles(data.toString('utf8')).trimEnd();
    return text.slice(text.lastIndexOf('\n') + 1).trim();
  });
  return lines.find((line) => line !== '') ?? '';
}
