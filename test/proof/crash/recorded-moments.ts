import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FileSystem } from '../../../src/run-directory/file-system.js';
import { type FaultyFileSystem, faultyFileSystem } from '../../support/faulty-file-system.js';
import { journalsIn } from './places.js';

/** What was on the disk when some lines had just been appended to a journal, of the run or of a child of it. */
export interface Moment {
  /** A copy of the run directory. */
  readonly directory: string;
  /** The journal, relative to the run directory. */
  readonly journal: string;
  /** Bytes of the journal before. */
  readonly from: number;
  /** Bytes after. */
  readonly to: number;
}

export interface MomentRecorder extends FileSystem, Pick<FaultyFileSystem, 'calls'> {
  readonly moments: readonly Moment[];
}

/** The real file system, except that syncs take no time; it keeps a copy of a run directory at every write to a journal in it. */
export function momentRecorder(runDirectory: string, copies: string): MomentRecorder {
  const real = faultyFileSystem();
  const moments: Moment[] = [];
  const journals = new Map<number, string>();
  return {
    ...real,
    moments,
    open(file, flags) {
      const descriptor = real.open(file, flags);
      if (path.basename(file) === 'events.jsonl') journals.set(descriptor, file);
      else journals.delete(descriptor);
      return descriptor;
    },
    write(descriptor, bytes, offset) {
      const written = real.write(descriptor, bytes, offset);
      const file = journals.get(descriptor);
      if (file === undefined) return written;
      const to = real.fstat(descriptor).size;
      const directory = path.join(copies, String(moments.length));
      cpSync(runDirectory, directory, { recursive: true });
      moments.push({ directory, journal: path.relative(runDirectory, file), from: to - written, to });
      return written;
    },
  };
}

/** Which other files there are next to the journals. */
export const otherFiles = ['as they were', 'as they were, without views', 'as they were at the end'] as const;

/** A run directory as a process that died would have left it. */
export interface Cut {
  readonly moment: Moment;
  /** Bytes that the journal of the moment has. */
  readonly size: number;
  readonly others: (typeof otherFiles)[number];
}

/**
 * Makes the run directory of a cut.
 * @param end what the run directory was in the end
 * @returns false where there can be no such directory, because another visit has taken the place of a child since
 */
export function makeCut({ moment, size, others }: Cut, end: string, target: string): boolean {
  const isEnd = others === 'as they were at the end';
  if (isEnd && !extendsAll(end, moment)) return false;
  cpSync(isEnd ? end : moment.directory, target, { recursive: true });
  if (isEnd) {
    for (const name of journalsIn(moment.directory))
      truncateSync(path.join(target, name), readFileSync(path.join(moment.directory, name)).length);
  }
  truncateSync(path.join(target, moment.journal), size);
  for (const name of journalsIn(target)) {
    const directory = path.dirname(path.join(target, name));
    rmSync(path.join(directory, 'lock'), { force: true });
    // A child that has ended is not resumed, so that nobody would write its views again.
    const isWritten = name === moment.journal || name === 'events.jsonl';
    if (others !== 'as they were, without views' || !isWritten) continue;
    for (const view of ['checkpoint.json', 'result.json'])
      rmSync(path.join(directory, view), { force: true });
    forgetActiveDirectory(path.join(directory, 'manifest.json'));
  }
  return true;
}

/** A manifest says where a restart has its files, which is a view of the journal too. */
function forgetActiveDirectory(manifest: string): void {
  if (!existsSync(manifest)) return;
  const { active_directory: _lost, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'));
  writeFileSync(manifest, JSON.stringify(rest));
}

/** Whether every journal of a moment has only grown since, and no child was moved. */
function extendsAll(end: string, { directory }: Moment): boolean {
  const wasMoved = journalsIn(end).some((name) => /(?:^|\/)visit-\d+\//.test(name));
  return (
    !wasMoved &&
    journalsIn(directory).every((name) => {
      const file = path.join(end, name);
      const then = readFileSync(path.join(directory, name));
      return existsSync(file) && readFileSync(file).subarray(0, then.length).equals(then);
    })
  );
}

/** Where the lines of a moment end in its journal, and where the first of them begins. */
export function lineEnds({ directory, journal, from, to }: Moment): readonly number[] {
  const bytes = readFileSync(path.join(directory, journal)).subarray(from, to);
  const ends = [...bytes.keys()].filter((index) => bytes[index] === 0x0a).map((index) => from + index + 1);
  return [from, ...ends];
}
