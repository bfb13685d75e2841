import path from 'node:path';
import { z } from 'zod';
import type { ArtifactInfo } from '../handlers/artifacts.js';
import { isRealDirectory, writeFileAtomically } from './durable-file.js';
import { type FileSystem, writeWhole } from './file-system.js';
import { RunError } from './run-error.js';
import { storageError } from './storage-error.js';

const info = z.object({
  id: z.string(),
  name: z.string(),
  size_bytes: z.number(),
  stored_at: z.string(),
  is_file_backed: z.boolean(),
});

/** File names as the store makes them; one from elsewhere could lead out of the directory. */
const file = z.string().regex(/^[\w-][\w.-]*(?:~[0-9]+)?\.json$/);

const record = z.union([
  z.object({ op: z.literal('store'), info, file }),
  z.object({ op: z.literal('store'), info, data: z.unknown() }),
  z.object({ op: z.literal('remove'), id: z.string() }),
  z.object({ op: z.literal('clear') }),
]);

/** Change of an artifact of a run: one line of `artifacts/index.jsonl`. */
export type ArtifactRecord = z.infer<typeof record>;

/** Line of a stored artifact: with its value, already as JSON text, or with the name of its file. */
export function storedLine(
  stored: ArtifactInfo,
  content: { readonly file: string } | { readonly text: string },
): string {
  const where = 'file' in content ? `"file":${JSON.stringify(content.file)}` : `"data":${content.text}`;
  return `{"op":"store","info":${JSON.stringify(stored)},${where}}`;
}

/**
 * Append-only file in which the artifacts of a run survive their process. The cost of a line does not
 * depend on their number; `rewrite` drops outdated lines. Nothing is created before an artifact is stored.
 */
export class ArtifactLog {
  readonly #file: string;
  readonly #fileSystem: FileSystem;
  #descriptor: number | undefined;
  #size = 0;
  #isDirty = false;
  #isBroken = false;

  constructor(file: string, fileSystem: FileSystem) {
    this.#file = file;
    this.#fileSystem = fileSystem;
  }

  /** Size of the complete lines in bytes. */
  get size(): number {
    return this.#size;
  }

  /**
   * Reads all records. A last line that was cut off by a crash is left out.
   * @throws RunError `run_damaged` or `storage`
   */
  read(): readonly ArtifactRecord[] {
    const bytes = this.#guard('read', () => {
      if (!isRealDirectory(path.dirname(this.#file), this.#fileSystem)) return undefined;
      return this.#fileSystem.exists(this.#file) ? this.#fileSystem.readFile(this.#file) : undefined;
    });
    if (bytes === undefined) return [];
    this.#size = bytes.lastIndexOf(0x0a) + 1;
    const records: ArtifactRecord[] = [];
    for (let start = 0, line = 1; start < this.#size; line += 1) {
      const end = bytes.indexOf(0x0a, start);
      records.push(readRecord(this.#file, line, bytes.toString('utf8', start, end)));
      start = end + 1;
    }
    return records;
  }

  /**
   * @returns the number of bytes
   * @throws RunError `storage`, after which nothing more is appended
   */
  append(line: string): number {
    if (this.#isBroken) throw new RunError('storage', `${this.#file} can no longer be written`);
    const bytes = Buffer.from(`${line}\n`);
    this.#guard('written', () => {
      this.#descriptor ??= this.#open();
      writeWhole(this.#descriptor, bytes, this.#fileSystem);
    });
    this.#size += bytes.length;
    this.#isDirty = true;
    return bytes.length;
  }

  /** Returns when everything appended is on the disk. @throws RunError `storage` */
  sync(): void {
    const descriptor = this.#descriptor;
    if (!this.#isDirty || descriptor === undefined) return;
    this.#guard('written', () => this.#fileSystem.fdatasync(descriptor));
    this.#isDirty = false;
  }

  /** Replaces the whole content. @throws RunError `storage` */
  rewrite(lines: readonly string[]): void {
    const text = lines.map((line) => `${line}\n`).join('');
    this.#guard('written', () => writeFileAtomically(this.#file, text, this.#fileSystem));
    this.close();
    this.#size = Buffer.byteLength(text);
    this.#isDirty = false;
  }

  /** Never fails: everything that must not be lost was synced before. */
  close(): void {
    if (this.#descriptor === undefined) return;
    try {
      this.#fileSystem.close(this.#descriptor);
    } catch {
      // The descriptor is closed all the same.
    }
    this.#descriptor = undefined;
  }

  /** Opens the file, and cuts anything after the last complete line off. */
  #open(): number {
    const descriptor = this.#fileSystem.open(this.#file, 'a');
    try {
      if (this.#fileSystem.fstat(descriptor).size > this.#size) {
        this.#fileSystem.ftruncate(descriptor, this.#size);
      }
    } catch (error) {
      this.#fileSystem.close(descriptor);
      throw error;
    }
    return descriptor;
  }

  #guard<Result>(wanted: 'read' | 'written', action: () => Result): Result {
    try {
      return action();
    } catch (error) {
      this.#isBroken = true;
      throw storageError(this.#file, wanted, error);
    }
  }
}

function readRecord(file: string, line: number, text: string): ArtifactRecord {
  try {
    return record.parse(JSON.parse(text));
  } catch (error) {
    throw new RunError(
      'run_damaged',
      `the list of artifacts ${file} is damaged in line ${line}: it was changed after it was written. Nothing was changed now. Restore the file from a copy, or start a new run`,
      { cause: error },
    );
  }
}
