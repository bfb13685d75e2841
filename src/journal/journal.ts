import type { RunEvent } from '../machine/event.js';
import { type FileSystem, nodeFileSystem, writeWhole } from '../run-directory/file-system.js';
import { linked, linkOf } from '../run-directory/hashed-line.js';
import { describeSystemError, RunError, TakenOverError } from '../run-directory/run-error.js';
import { eventProblem } from './check-event.js';
import { hashAfter } from './hash-chain.js';

/** The append-only file of a run's events (DESIGN §4): the truth from which everything else is computed. */
export class Journal {
  readonly file: string;
  readonly #fileSystem: FileSystem;
  readonly #checkOwner: () => void;
  /** Number of its file, if that may be replaced. */
  readonly #ino: number | undefined;
  readonly #descriptor: number;
  /** Opened on first use: writes to it return when they are on the disk. */
  #throughDescriptor: number | undefined;
  /**
   * Size that is known to be on the disk; -1 at first, because an earlier writer may not have waited for
   * it.
   */
  #syncedSize = -1;
  #size: number;
  #hash: string;
  #isBroken = false;

  /**
   * @param end of the last complete line, as it was read; an incomplete line after it is cut off
   * @param checkOwner throws where this process may no longer write
   * @param isReplaceable true if other processes write the whole file again: what is in its place then is not of this one
   */
  constructor(
    file: string,
    { size, hash, torn }: JournalEnd = beginning,
    fileSystem: FileSystem = nodeFileSystem,
    checkOwner: () => void = mayAlways,
    isReplaceable = false,
  ) {
    this.file = file;
    this.#fileSystem = fileSystem;
    this.#checkOwner = checkOwner;
    this.#descriptor = fileSystem.open(file, 'a');
    this.#size = size;
    this.#hash = hash;
    try {
      const { size: found, ino } = fileSystem.fstat(this.#descriptor);
      this.#ino = isReplaceable ? ino : undefined;
      if (found === size + torn && torn > 0) fileSystem.ftruncate(this.#descriptor, size);
      else if (found !== size) throw this.#foreignEnd(found, 'read');
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Bytes written so far. */
  get size(): number {
    return this.#size;
  }

  /** Time of the last write, by the clock of the file system, in milliseconds since 1970. */
  get writtenAt(): number {
    return this.#fileSystem.fstat(this.#descriptor).mtimeMs;
  }

  /**
   * Appends events in one write. After a failed write nothing more is appended, so that only the last line
   * can be incomplete.
   * @throws RunError `storage`
   */
  append(events: readonly RunEvent[]): void {
    this.#refuseWhenBroken();
    this.#write(this.#descriptor, events);
  }

  /**
   * Like `append`, but returns when everything appended is on the disk.
   * @throws RunError `storage`
   */
  appendDurably(events: readonly RunEvent[]): void {
    // A write-through does not flush what was written before it.
    if (this.#syncedSize < this.#size || this.#fileSystem.writesThrough !== true) {
      this.append(events);
      return this.sync();
    }
    this.#refuseWhenBroken();
    this.#write(this.#through(), events);
    this.#syncedSize = this.#size;
  }

  /**
   * Returns when everything appended is on the disk. After a failure the system may consider the same pages
   * clean, so that a second try would prove nothing: the journal stays as it is, and resuming reads its
   * content.
   * @throws RunError `storage`
   */
  sync(): void {
    this.#refuseWhenBroken();
    try {
      this.#fileSystem.fdatasync(this.#descriptor);
      this.#syncedSize = this.#size;
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Like `sync`, without blocking; events appended meanwhile may or may not be durable then. */
  async syncSoon(): Promise<void> {
    this.#refuseWhenBroken();
    const size = this.#size;
    try {
      await this.#fileSystem.fdatasyncSoon(this.#descriptor);
      this.#syncedSize = Math.max(this.#syncedSize, size);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Never fails: everything that must not be lost was synced before. */
  close(): void {
    for (const descriptor of [this.#descriptor, this.#throughDescriptor]) {
      try {
        if (descriptor !== undefined) this.#fileSystem.close(descriptor);
      } catch {
        // The descriptor is closed all the same.
      }
    }
  }

  #write(descriptor: number, events: readonly RunEvent[]): void {
    const { text, hash } = journalText(events, this.#hash);
    const bytes = Buffer.from(text);
    try {
      this.#checkOwner();
      this.#refuseForeignEnd();
      writeWhole(descriptor, bytes, this.#fileSystem);
      this.#size += bytes.length;
      this.#hash = hash;
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /**
   * Checks that the journal ends where this process left it. Another process, such as one in a container
   * that shares the directory, may have taken the run for dead: two writers would destroy it.
   */
  #refuseForeignEnd(): void {
    const { size } = this.#fileSystem.fstat(this.#descriptor);
    if (size !== this.#size) throw this.#foreignEnd(size, 'left it with');
    if (this.#ino !== undefined && this.#fileSystem.stat(this.file)?.ino !== this.#ino)
      throw new TakenOverError(`another process has replaced the journal ${this.file}`);
  }

  #foreignEnd(size: number, did: 'left it with' | 'read'): RunError {
    return new TakenOverError(
      `the journal ${this.file} has ${size} bytes, but this process ${did} ${this.#size}: something else has written to it, perhaps another process that executes the run. The run was stopped, and nothing was written. When no other process executes the run, \`attractor resume\` continues from there`,
    );
  }

  #through(): number {
    try {
      this.#throughDescriptor ??= this.#fileSystem.open(this.file, 'as');
      return this.#throughDescriptor;
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #refuseWhenBroken(): void {
    if (this.#isBroken) throw new RunError('storage', `the journal ${this.file} can no longer be written`);
  }

  #giveUp(error: unknown): never {
    this.#isBroken = true;
    if (error instanceof RunError) throw error;
    throw new RunError(
      'storage',
      `the journal ${this.file} could not be written: ${describeSystemError(error)}. The run was stopped; all stages that had finished before are recorded, and \`attractor resume\` continues from there after you fix the cause`,
      { cause: error },
    );
  }
}

function mayAlways(): void {}

/** End of the last complete line of a journal. */
export interface JournalEnd {
  /** Offset of the end in bytes. */
  readonly size: number;
  /** Hash of the last line; empty before the first, and after one without a hash. */
  readonly hash: string;
  /** Bytes after it, of a line that was cut off. */
  readonly torn: number;
}

/** End of a journal without lines. */
export const beginning: JournalEnd = { size: 0, hash: '', torn: 0 };

/** Events as lines of a journal. @param previous the hash of the line before */
export function journalText(events: readonly RunEvent[], previous = ''): { text: string; hash: string } {
  let text = '';
  let hash = previous;
  for (const event of events) {
    const json = JSON.stringify(event);
    hash = hashAfter(hash, json);
    text += `${linked(json, hash)}\n`;
  }
  return { text, hash };
}

export interface JournalContent {
  readonly events: readonly RunEvent[];
  readonly end: JournalEnd;
}

/**
 * Reads a journal back. A last line that was cut off by a crash is left out; any other damage is an error
 * that names the line.
 * @throws RunError `run_damaged` or `storage`
 */
export function readJournal(file: string, fileSystem: FileSystem = nodeFileSystem): JournalContent {
  const bytes = readBytes(file, fileSystem);
  const size = bytes.lastIndexOf(0x0a) + 1;
  const events: RunEvent[] = [];
  const lines = new JournalLines(file);
  for (let start = 0; start < size; ) {
    const end = bytes.indexOf(0x0a, start);
    events.push(lines.read(bytes.toString('utf8', start, end)));
    start = end + 1;
  }
  return { events, end: { size, hash: lines.hash, torn: bytes.length - size } };
}

function readBytes(file: string, fileSystem: FileSystem): Buffer {
  try {
    return fileSystem.readFile(file);
  } catch (error) {
    throw unreadableJournal(file, error);
  }
}

/** Error for a journal that the system does not let us read. */
export function unreadableJournal(file: string, error: unknown): RunError {
  return new RunError('storage', `the journal ${file} cannot be read: ${describeSystemError(error)}`, {
    cause: error,
  });
}

/** Reads the lines of a journal one after the other, and checks that they are as they were written. */
export class JournalLines {
  readonly #file: string;
  #line = 0;
  #hash = '';
  #isChained = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Hash of the latest line; empty if it has none. */
  get hash(): string {
    return this.#hash;
  }

  /** The next line. @throws RunError `run_damaged` */
  read(line: string): RunEvent {
    const event = this.readQuickly(line);
    const problem = eventProblem(event);
    if (problem !== undefined) throw this.#damaged(problem);
    return event;
  }

  /**
   * Like `read`, without checking each field.
   * @throws RunError `run_damaged`
   */
  readQuickly(line: string): RunEvent {
    this.#line += 1;
    const { text, hash } = linkOf(line);
    let event: unknown;
    try {
      event = JSON.parse(text);
    } catch {
      throw this.#damaged('it is not JSON');
    }
    if (typeof event !== 'object' || event === null) throw this.#damaged('it is not an event');
    const { seq } = event as Partial<RunEvent>;
    if (seq !== this.#line)
      throw this.#damaged(`its seq is ${JSON.stringify(seq)}, but it must be ${this.#line}`);
    this.#checkHash(text, hash);
    return event as RunEvent;
  }

  /** Passes over a line without parsing it. */
  skip(line: string): void {
    this.#line += 1;
    this.#follow(linkOf(line).hash);
  }

  /** A journal that an older version began has hashes from some line on. */
  #checkHash(text: string, hash: string | undefined): void {
    if (hash === undefined && this.#isChained) throw this.#damaged('its hash is missing');
    if (hash !== undefined && hash !== hashAfter(this.#hash, text))
      throw this.#damaged(
        'this line or the one before it was changed after it was written: the hash does not match',
      );
    this.#follow(hash);
  }

  #follow(hash: string | undefined): void {
    this.#isChained ||= hash !== undefined;
    this.#hash = hash ?? '';
  }

  #damaged(what: string): RunError {
    return damagedJournal(this.#file, this.#line, what);
  }
}

/** Error for a journal that is not as it was written. */
export function damagedJournal(file: string, line: number, what: string): RunError {
  return new RunError(
    'run_damaged',
    `the journal ${file} is damaged in line ${line}: ${what}. Nothing was changed. Restore the file from a copy, or start a new run`,
  );
}
