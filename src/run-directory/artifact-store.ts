import path from 'node:path';
import type { JsonValue } from '../graph/json.js';
import type { ArtifactInfo, Artifacts } from '../handlers/artifacts.js';
import { noRedactor, type Redactor } from '../secrets/redactor.js';
import { ArtifactLog, type ArtifactRecord, storedLine } from './artifact-log.js';
import { discard, makeDirectoryBelow, writeFileAtomically } from './durable-file.js';
import { type FileSystem, nodeFileSystem } from './file-system.js';
import { RunError } from './run-error.js';
import { storageError } from './storage-error.js';

/** Bytes of JSON text above which a value has a separate file (§5.5, SEMANTICS 70). */
export const fileBackingThreshold = 102_400;

/**
 * Maximum bytes of all values that are kept in memory together; beyond that even a small one has a separate
 * file.
 */
const memoryBudget = 64 * 1024 * 1024;

/** Bytes below which the log is never rewritten. */
const smallLog = 1024 * 1024;

/** Name of the log; those of artifacts end in `.json`. */
const logName = 'index.jsonl';

export interface ArtifactStoreOptions {
  /** `artifacts` in the run directory, created on demand; without one everything is kept in memory only. */
  readonly directory?: string;
  readonly fileSystem?: FileSystem;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Removes secrets from it; none if undefined. */
  readonly redactor?: Redactor;
}

interface Entry {
  readonly info: ArtifactInfo;
  /** The value as JSON text, or the name of its file. */
  readonly content: { readonly text: string } | { readonly file: string };
  /** Bytes in the log. */
  readonly logged: number;
}

/**
 * Artifacts of a run (§5.5). Large ones are files `<id>.json`; the list of all, with the values of the
 * small ones, is a log next to them, so that another process that resumes the run has the artifacts of
 * finished stages.
 */
export class ArtifactStore implements Artifacts {
  readonly #directory: string | undefined;
  readonly #fileSystem: FileSystem;
  readonly #now: () => number;
  readonly #redactor: Redactor;
  readonly #log: ArtifactLog | undefined;
  readonly #entries = new Map<string, Entry>();
  /** Names of files in lower case: some systems do not distinguish names that differ in case only. */
  readonly #fileNames = new Set<string>();
  #inMemory = 0;
  #liveInLog = 0;
  #isLoaded = false;

  constructor({ directory, fileSystem = nodeFileSystem, now, redactor = noRedactor }: ArtifactStoreOptions) {
    this.#directory = directory;
    this.#fileSystem = fileSystem;
    this.#now = now;
    this.#redactor = redactor;
    this.#log =
      directory === undefined ? undefined : new ArtifactLog(path.join(directory, logName), fileSystem);
  }

  store(id: string, givenName: string, data: unknown): ArtifactInfo {
    checkArtifactId(this.#redactor.text(id));
    const text = this.#redactor.jsonText(serialize(id, data));
    const name = this.#redactor.text(givenName);
    this.#load();
    const size = Buffer.byteLength(text);
    const before = this.#entries.get(id);
    const isFileBacked =
      this.#directory !== undefined && (size > fileBackingThreshold || this.#inMemory + size > memoryBudget);
    const info: ArtifactInfo = {
      id,
      name,
      size_bytes: size,
      stored_at: new Date(this.#now()).toISOString(),
      is_file_backed: isFileBacked,
    };
    const content = isFileBacked ? { file: this.#write(id, fileOf(before), text) } : { text };
    const logged = this.#append(storedLine(info, content));
    const outdated = fileOf(before);
    this.#forget(id);
    this.#remember({ info, content, logged });
    if (outdated !== undefined && !isFileBacked) this.#discard(outdated);
    this.#compact();
    return info;
  }

  retrieve(id: string): JsonValue {
    this.#load();
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new Error(notFound(id, this.#entries.keys()));
    if ('text' in entry.content) return JSON.parse(entry.content.text);
    return this.#read(id, entry.content.file);
  }

  has(id: string): boolean {
    this.#load();
    return this.#entries.has(id);
  }

  list(): readonly ArtifactInfo[] {
    this.#load();
    return Array.from(this.#entries.values(), ({ info }) => info);
  }

  remove(id: string): boolean {
    this.#load();
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    this.#append(JSON.stringify({ op: 'remove', id }));
    this.#forget(id);
    if ('file' in entry.content) this.#discard(entry.content.file);
    this.#compact();
    return true;
  }

  clear(): void {
    this.#load();
    const files = Array.from(this.#entries.values(), fileOf);
    if (files.length === 0) return;
    this.#append(JSON.stringify({ op: 'clear' }));
    for (const id of [...this.#entries.keys()]) this.#forget(id);
    for (const file of files) if (file !== undefined) this.#discard(file);
    this.#compact();
  }

  /**
   * Returns when everything stored is on the disk; call it before the outcome of the stage is recorded.
   * @throws RunError `storage`
   */
  sync(): void {
    this.#log?.sync();
  }

  close(): void {
    this.#log?.close();
  }

  /** Reads the log on first use: most runs store nothing, and must not pay for it. */
  #load(): void {
    if (this.#isLoaded) return;
    for (const record of this.#log?.read() ?? []) this.#apply(record);
    this.#isLoaded = true;
  }

  #apply(record: ArtifactRecord): void {
    switch (record.op) {
      case 'store': {
        const { info } = record;
        const content = 'file' in record ? { file: record.file } : { text: JSON.stringify(record.data) };
        const logged = Buffer.byteLength(storedLine(info, content)) + 1;
        this.#forget(info.id);
        return this.#remember({ info, content, logged });
      }
      case 'remove':
        return this.#forget(record.id);
      case 'clear':
        for (const id of [...this.#entries.keys()]) this.#forget(id);
        return;
    }
  }

  #remember(entry: Entry): void {
    this.#entries.set(entry.info.id, entry);
    this.#liveInLog += entry.logged;
    if ('file' in entry.content) this.#fileNames.add(entry.content.file.toLowerCase());
    else this.#inMemory += entry.info.size_bytes;
  }

  #forget(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#liveInLog -= entry.logged;
    if ('file' in entry.content) this.#fileNames.delete(entry.content.file.toLowerCase());
    else this.#inMemory -= entry.info.size_bytes;
  }

  /** Writes the file before the log names it: an unnamed file does no harm. */
  #write(id: string, before: string | undefined, text: string): string {
    const name = before ?? this.#freeFileName(id);
    const file = this.#pathOf(name);
    try {
      this.#makeDirectory(path.dirname(file));
      writeFileAtomically(file, text, this.#fileSystem);
    } catch (error) {
      throw storageError(file, 'written', error);
    }
    return name;
  }

  /**
   * `<id>.json`, or for an id that differs from another one only in case `<id>~2.json`, which is not a
   * valid id.
   */
  #freeFileName(id: string): string {
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? `${id}.json` : `${id}~${number}.json`;
      if (!this.#fileNames.has(name.toLowerCase())) return name;
    }
  }

  #read(id: string, name: string): JsonValue {
    const file = this.#pathOf(name);
    if (!this.#fileSystem.exists(file)) throw new Error(`artifact "${id}" is lost: its file ${file} is gone`);
    let text: string;
    try {
      text = this.#fileSystem.readFile(file).toString('utf8');
    } catch (error) {
      throw storageError(file, 'read', error);
    }
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`artifact "${id}" is damaged: its file ${file} is not JSON`);
    }
  }

  #append(line: string): number {
    if (this.#log === undefined || this.#directory === undefined) return 0;
    try {
      this.#makeDirectory(this.#directory);
    } catch (error) {
      throw error instanceof RunError ? error : storageError(this.#directory, 'written', error);
    }
    return this.#log.append(line);
  }

  #makeDirectory(directory: string): void {
    makeDirectoryBelow(path.dirname(directory), path.basename(directory), this.#fileSystem);
  }

  /**
   * Rewrites a log that is mostly outdated; since its length must double first, that costs little for each
   * line.
   */
  #compact(): void {
    if (this.#log === undefined || this.#log.size < smallLog || this.#log.size < 2 * this.#liveInLog) return;
    this.#log.rewrite(Array.from(this.#entries.values(), ({ info, content }) => storedLine(info, content)));
  }

  /** Removes an outdated file; one that cannot be removed only takes space. */
  #discard(name: string): void {
    discard(this.#pathOf(name), this.#fileSystem);
  }

  #pathOf(name: string): string {
    if (this.#directory === undefined) throw new Error('a store without a directory has no files');
    return path.join(this.#directory, name);
  }
}

function fileOf(entry: Entry | undefined): string | undefined {
  return entry !== undefined && 'file' in entry.content ? entry.content.file : undefined;
}

/** @throws an error for an id that is not a valid file name everywhere (SEMANTICS 70) */
function checkArtifactId(id: string): void {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(id)) return;
  throw unusable(
    `the artifact id ${JSON.stringify(id)} cannot be used: it must have 1 to 128 letters, digits, ".", "_" or "-", and no dot at the beginning`,
  );
}

/** JSON text of data; refuses data that JSON would change silently. */
function serialize(id: string, data: unknown): string {
  const refuse = (what: string): never => {
    throw unusable(`the data of artifact "${id}" cannot be stored: JSON cannot hold ${what}`);
  };
  const check = (_key: string, value: unknown): unknown => {
    if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') {
      return refuse(`a ${typeof value}`);
    }
    if (typeof value === 'number' && !Number.isFinite(value)) return refuse(String(value));
    if (value instanceof Map || value instanceof Set) return refuse(`a ${value.constructor.name}`);
    return value;
  };
  let text: string | undefined;
  try {
    text = JSON.stringify(data, check);
  } catch (error) {
    if (error instanceof TypeError && error.message.includes('circular')) return refuse('a cycle');
    throw error;
  }
  return text ?? refuse('nothing at all');
}

/** Error in the handler's code, which the same code would make again. */
function unusable(message: string): Error {
  return Object.assign(new TypeError(message), { failure_category: 'terminal' as const });
}

const idsNamed = 10;

function notFound(id: string, known: Iterable<string>): string {
  const ids = [...known];
  const named = ids.slice(-idsNamed).join(', ');
  const stored = ids.length === 0 ? 'nothing is stored' : `stored are ${named}`;
  return `artifact "${id}" not found: ${stored}${ids.length > idsNamed ? ' and others' : ''}`;
}
