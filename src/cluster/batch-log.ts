import path from 'node:path';
import type { DurableLog, RunRecord } from '../run/driver/durable-log.js';
import type { FileSystem } from '../run-directory/file-system.js';
import { runFiles } from '../run-directory/run-files.js';
import type { PlacedRecord } from './durable-run.js';

/** Records of a run, and of those below it, on their way into the next durable step. */
export class BatchLog {
  readonly #directory: string;
  readonly #fileSystem: FileSystem;
  #waiting: PlacedRecord[] = [];
  #onKept: Waiter[] = [];
  #beingKept: Waiter[] = [];
  #lost: Error | undefined;
  #onRecord: () => void = () => undefined;

  /** @param directory of the run */
  constructor(directory: string, fileSystem: FileSystem) {
    this.#directory = path.resolve(directory);
    this.#fileSystem = fileSystem;
  }

  get hasRecords(): boolean {
    return this.#waiting.length > 0;
  }

  /** Log of the run itself. */
  get ofRun(): DurableLog {
    return this.#log((record) => record);
  }

  /** Resolves when there is a record to be kept. */
  get recorded(): Promise<void> {
    if (this.hasRecords) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onRecord = resolve;
    });
  }

  /** Takes the records that came since the last call. */
  take(): readonly PlacedRecord[] {
    const records = this.#waiting;
    this.#waiting = [];
    this.#beingKept.push(...this.#onKept);
    this.#onKept = [];
    return records;
  }

  /** Reports that the records that were taken are durable: the runs continue. */
  kept(): void {
    const waiting = this.#beingKept;
    this.#beingKept = [];
    for (const { resolve } of waiting) resolve();
  }

  /** Refuses this and all later records: the runs stop. */
  abandon(error: Error): void {
    this.#lost = error;
    for (const { reject } of [...this.#beingKept, ...this.#onKept]) reject(error);
    this.#beingKept = [];
    this.#onKept = [];
    this.#waiting = [];
  }

  #log(placed: (record: RunRecord) => PlacedRecord): DurableLog {
    return {
      keep: (record) =>
        new Promise((resolve, reject) => {
          if (this.#lost !== undefined) return reject(this.#lost);
          this.#waiting.push(placed(record));
          this.#onKept.push({ resolve, reject });
          this.#onRecord();
        }),
      below: (directory) => this.#below(path.resolve(directory)),
    };
  }

  /** Log of a child run; its files go along whenever they have changed. */
  #below(directory: string): DurableLog {
    const place = path.relative(this.#directory, directory);
    let sent = '';
    return this.#log((record) => {
      const files = {
        pipeline: this.#read(directory, runFiles.pipeline),
        manifest: this.#read(directory, runFiles.manifest),
      };
      const isNew = files.manifest !== sent;
      sent = files.manifest;
      return isNew ? { ...record, place, files } : { ...record, place };
    });
  }

  #read(directory: string, name: string): string {
    return this.#fileSystem.readFile(path.join(directory, name)).toString('utf8');
  }
}

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}
