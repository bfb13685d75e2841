import path from 'node:path';
import { describeIssues } from '../../handlers/describe-issues.js';
import { type FileSystem, writeWhole } from '../../run-directory/file-system.js';
import { describeSystemError, RunError } from '../../run-directory/run-error.js';
import { runFiles } from '../../run-directory/run-files.js';
import { writing } from '../../run-directory/storage-error.js';
import { type Exchange, type RecordedSession, recordingLine } from './exchange.js';

export type RecordingLine = Exchange | RecordedSession;

/** Content of a recording, and the end of its last complete line. */
export interface RecordingContent {
  readonly lines: readonly RecordingLine[];
  readonly size: number;
}

/** True if a run was recorded. */
export function isRecorded(directory: string, fileSystem: FileSystem): boolean {
  return fileSystem.exists(path.join(directory, runFiles.recording));
}

/**
 * Reads `recording.jsonl`. A last line that was cut off by a crash is left out: its exchange had not ended.
 * @throws RunError `run_damaged` or `storage`
 */
export function readRecordingFile(file: string, fileSystem: FileSystem): RecordingContent {
  let bytes: Buffer;
  try {
    bytes = fileSystem.readFile(file);
  } catch (error) {
    throw new RunError('storage', `the recording ${file} cannot be read: ${describeSystemError(error)}`, {
      cause: error,
    });
  }
  // Line by line: a whole recording may be longer than any text can be.
  const lines: RecordingLine[] = [];
  let size = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, size)) {
    lines.push(readLine(file, lines.length + 1, bytes.toString('utf8', size, end)));
    size = end + 1;
  }
  return { lines, size };
}

function readLine(file: string, line: number, text: string): RecordingLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged(file, line, 'it is not JSON');
  }
  const parsed = recordingLine.safeParse(value);
  if (!parsed.success) throw damaged(file, line, describeIssues(parsed.error, value));
  return parsed.data;
}

function damaged(file: string, line: number, problem: string): RunError {
  return new RunError(
    'run_damaged',
    `the recording ${file} is damaged in line ${line}: ${problem}. Nothing was changed. Restore the file from a copy; without it the run continues, but cannot be replayed`,
  );
}

/** Append-only file of lines, each of them durable before the call that appends it returns (DESIGN §4). */
export class RecordingFile {
  readonly #file: string;
  readonly #fileSystem: FileSystem;
  readonly #descriptor: number;
  #isBroken = false;

  /** @param size end of the last complete line; anything after it is cut off */
  constructor(file: string, size: number, fileSystem: FileSystem) {
    this.#file = file;
    this.#fileSystem = fileSystem;
    this.#descriptor = writing(file, () => fileSystem.open(file, 'a'));
    writing(file, () => {
      if (fileSystem.fstat(this.#descriptor).size > size) fileSystem.ftruncate(this.#descriptor, size);
    });
  }

  /**
   * Appends a line. After a failed write nothing more is appended, so that only the last line can be
   * incomplete.
   */
  append(line: RecordingLine): void {
    if (this.#isBroken) throw new RunError('storage', `the recording ${this.#file} can no longer be written`);
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    this.#isBroken = true;
    writing(this.#file, () => {
      writeWhole(this.#descriptor, bytes, this.#fileSystem);
      this.#fileSystem.fdatasync(this.#descriptor);
    });
    this.#isBroken = false;
  }

  /** Never fails: every line was synced. */
  close(): void {
    try {
      this.#fileSystem.close(this.#descriptor);
    } catch {
      // The descriptor is closed nevertheless.
    }
  }
}
