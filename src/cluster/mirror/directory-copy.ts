import path from 'node:path';
import { manifestOfCopy } from '../../run-directory/copied-run.js';
import { discard, makeDirectory } from '../../run-directory/durable-file.js';
import { nodeFileSystem, temporaryName } from '../../run-directory/file-system.js';
import { renewMs } from '../../run-directory/lock-age.js';
import type { LockOwner } from '../../run-directory/lock-owner.js';
import { runFiles } from '../../run-directory/run-files.js';
import { noStageWorkers, type StageWorkers } from '../../view/active-stage.js';
import type { HistoricRun } from '../run-history.js';
import { JournalCopy } from './journal-copy.js';

/** Directory that says what the history of one run says; a lock in it names what carries the run. */
export class DirectoryCopy {
  readonly #directory: string;
  readonly #journal: JournalCopy;
  readonly #written = new Map<string, string>();
  /** Manifest that was written last, as the run has it. */
  #manifest: string | undefined;
  #lockedAt = Number.NEGATIVE_INFINITY;

  constructor(directory: string) {
    this.#directory = directory;
    this.#journal = new JournalCopy(path.join(directory, runFiles.journal));
    makeDirectory(directory);
  }

  /**
   * @param owner of the run now; undefined if nothing executes it
   * @param workers of its stages
   * @returns true if there were new events
   */
  write(
    { pipeline, manifest, events }: HistoricRun,
    owner: LockOwner | undefined,
    workers: StageWorkers = noStageWorkers,
  ): boolean {
    this.#replace(runFiles.pipeline, pipeline);
    if (manifest !== this.#manifest) this.#replace(runFiles.manifest, manifestOfCopy(manifest));
    this.#manifest = manifest;
    // The lock comes first and goes last, as where a process executes the run.
    if (owner !== undefined) this.#lock(owner);
    if (workers.size > 0 || this.#written.has(runFiles.stageWorkers))
      this.#replace(runFiles.stageWorkers, JSON.stringify(Object.fromEntries(workers)));
    const isLonger = this.#journal.write(events);
    if (owner === undefined) this.#unlock();
    return isLonger;
  }

  #lock(owner: LockOwner): void {
    const isDue = performance.now() - this.#lockedAt >= renewMs;
    if (this.#replace(runFiles.lock, JSON.stringify(owner), isDue)) this.#lockedAt = performance.now();
  }

  #unlock(): void {
    this.#written.delete(runFiles.lock);
    const lock = path.join(this.#directory, runFiles.lock);
    if (nodeFileSystem.exists(lock)) discard(lock, nodeFileSystem);
  }

  /** @returns true if the file was written */
  #replace(name: string, text: string, isDue = false): boolean {
    if (!isDue && this.#written.get(name) === text) return false;
    const file = path.join(this.#directory, name);
    const temporary = temporaryName(file);
    nodeFileSystem.writeFile(temporary, text);
    nodeFileSystem.rename(temporary, file);
    this.#written.set(name, text);
    return true;
  }
}
