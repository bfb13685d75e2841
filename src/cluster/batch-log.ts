import path from 'node:path';
import type { Program } from '../graph/program.js';
import type { DurableLog, RunRecord } from '../run/driver/durable-log.js';
import type { FileSystem } from '../run-directory/file-system.js';
import { runFiles } from '../run-directory/run-files.js';
import type { PlacedRecord } from './durable-run.js';
import type { ChangedPlaces, FileWarning } from './files/collect-files.js';

/** Numbers of answers by the name of the stage in a script of the run. */
export type AnswerCounts = ReadonlyMap<string, number>;

/** Records of a run, and of those below it, on their way into the next durable step. */
export class BatchLog {
  readonly #directory: string;
  readonly #fileSystem: FileSystem;
  /** Programs that decide, by the places of their runs: '' for the run itself. */
  readonly programs = new Map<string, Program>();
  #waiting: PlacedRecord[] = [];
  #stages = new Map<string, Set<string>>();
  #onKept: Waiter[] = [];
  #beingKept: Waiter[] = [];
  #lost: Error | undefined;
  #onRecord: () => void = () => undefined;

  readonly #answered: AnswerCounts;

  /**
   * @param directory of the run
   * @param answered number of the answers that stages have had since a person has resumed the run
   */
  constructor(directory: string, fileSystem: FileSystem, answered: AnswerCounts) {
    this.#directory = path.resolve(directory);
    this.#fileSystem = fileSystem;
    this.#answered = new Map(answered);
  }

  get hasRecords(): boolean {
    return this.#onKept.length > 0;
  }

  /** Log of the run itself. */
  get ofRun(): DurableLog {
    return this.#log('', (record) => record);
  }

  /** Resolves when there is a record to be kept. */
  get recorded(): Promise<void> {
    if (this.hasRecords) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onRecord = resolve;
    });
  }

  /** Takes the records that came since the last call, and the places of their files. */
  take(): { readonly records: readonly PlacedRecord[]; readonly places: ChangedPlaces } {
    const records = this.#waiting;
    const stages = this.#stages;
    this.#waiting = [];
    this.#stages = new Map();
    this.#beingKept.push(...this.#onKept);
    this.#onKept = [];
    return { records, places: { stages, begun: new Set(records.flatMap(begunPlace)) } };
  }

  /** Reports that the taken records are durable: the runs continue. */
  kept(warnings: readonly FileWarning[]): void {
    const waiting = this.#beingKept;
    this.#beingKept = [];
    let left = warnings;
    // A child run comes before those above it, whose files its own are too.
    for (const { place, resolve } of waiting.toSorted(
      (one, other) => other.place.length - one.place.length,
    )) {
      const isOwn = (warning: FileWarning): boolean =>
        warning.path.startsWith(place === '' ? '' : `${place}/`);
      resolve(left.filter(isOwn).map(({ message }) => message));
      left = left.filter((warning) => !isOwn(warning));
    }
  }

  /** Refuses this and all later records: the runs stop. */
  abandon(error: Error): void {
    this.#lost = error;
    for (const { reject } of [...this.#beingKept, ...this.#onKept]) reject(error);
    this.#beingKept = [];
    this.#onKept = [];
    this.#waiting = [];
    this.#stages = new Map();
  }

  #log(place: string, placed: (record: RunRecord) => PlacedRecord): DurableLog {
    return {
      answered: this.#answered,
      drives: (program) => void this.programs.set(place, program),
      keep: (record, stages) =>
        new Promise((resolve, reject) => {
          if (this.#lost !== undefined) return reject(this.#lost);
          if (record.inputs.length > 0) this.#waiting.push(placed(record));
          const changed = this.#stages.get(place) ?? new Set();
          for (const stage of stages) changed.add(stage);
          this.#stages.set(place, changed);
          this.#onKept.push({ place, resolve, reject });
          this.#onRecord();
        }),
      below: (directory) => this.#below(path.resolve(directory)),
    };
  }

  /** Log of a child run; its files go along whenever they have changed. */
  #below(directory: string): DurableLog {
    const place = path.relative(this.#directory, directory).split(path.sep).join('/');
    let sent = '';
    return this.#log(place, (record) => {
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
  /** Directory of its run. */
  readonly place: string;
  resolve(warnings: readonly string[]): void;
  reject(error: Error): void;
}

function begunPlace({ place, events }: PlacedRecord): readonly string[] {
  return place !== undefined && events[0]?.seq === 1 ? [place] : [];
}
