import type { ClusterRun } from '../../cluster/cluster.js';
import type { FileStore } from '../../cluster/files/file-store.js';
import { writeFiles } from '../../cluster/files/write-files.js';
import type { RunMirror } from '../../cluster/mirror/run-mirror.js';
import { nodeFileSystem } from '../../run-directory/file-system.js';

/** Copy of a run that somebody looks at. */
export class KeptMirror {
  readonly #store: FileStore;
  readonly #mirror: RunMirror;
  readonly #onNotice: (notice: string) => void;
  #holds = 0;
  #lastLook = performance.now();
  #isBroken = false;
  /** Version of the files that were written last. */
  #written = 0;
  #writing: Promise<void> | undefined;

  /** @param store of the contents of its files */
  constructor(mirror: RunMirror, store: FileStore, onNotice: (notice: string) => void) {
    this.#store = store;
    this.#mirror = mirror;
    this.#onNotice = onNotice;
    mirror.broken.catch(() => {
      this.#isBroken = true;
    });
  }

  get run(): ClusterRun {
    return this.#mirror.run;
  }

  get directory(): string {
    return this.#mirror.directory;
  }

  /** Rejects when the copy can no longer be kept up to date. */
  get broken(): Promise<never> {
    return this.#mirror.broken;
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  touch(): void {
    this.#lastLook = performance.now();
  }

  /** Has the copy say what was read of the run. */
  update(): void {
    this.#mirror.update();
  }

  isIdleFor(milliseconds: number): boolean {
    return this.#holds === 0 && performance.now() - this.#lastLook > milliseconds;
  }

  /** Keeps the copy for somebody who follows the run. @returns ends that */
  hold(): () => void {
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
      this.touch();
    };
  }

  /** Brings the files that stages have left so far. @returns undefined if they are there */
  bringFiles(): Promise<void> | undefined {
    if (this.#written === this.run.history.files.version) return undefined;
    this.#writing ??= this.#bringFiles().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #bringFiles(): Promise<void> {
    const { history } = this.run;
    const { version } = history.files;
    const missing = await writeFiles({
      directory: this.directory,
      fileSystem: nodeFileSystem,
      store: this.#store,
      tree: history.files,
    });
    this.#written = version;
    for (const { path, reason } of missing)
      this.#onNotice(`${path} of the run ${history.submission.runId} cannot be shown: ${reason}`);
  }

  async close(): Promise<void> {
    await this.#mirror.close();
  }
}
