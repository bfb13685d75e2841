import path from 'node:path';
import type { Cluster } from '../../cluster/cluster.js';
import { filesIn } from '../../cluster/files/shared-directory.js';
import { RunMirror } from '../../cluster/mirror/run-mirror.js';
import { messageOf } from '../../handlers/error-category.js';
import type { Log } from '../../telemetry/log.js';
import { ProblemError } from '../problem-error.js';
import { problemOf } from '../runs/problem-of.js';
import type { ServerOptions } from '../server-options.js';
import { answered } from './answered.js';
import { KeptMirror } from './kept-mirror.js';

/** Milliseconds after the last look at a run for which its copy is kept up to date. */
const keptMs = 60_000;
const sweepMs = 10_000;
/** Milliseconds for which the same notice is not logged again: every mirror says that the database is away. */
const quietMs = 60_000;

/** Copies of the runs of a cluster that somebody looks at, each kept up to date for as long as that lasts. */
export class KeptMirrors {
  readonly #cluster: Cluster;
  readonly #home: string;
  readonly #sharedFiles: string | undefined;
  readonly #log: Log;
  readonly #kept = new Map<string, KeptMirror>();
  readonly #opening = new Map<string, Promise<void>>();
  readonly #saidAt = new Map<string, number>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(
    cluster: Cluster,
    { home, sharedFiles }: Pick<ServerOptions, 'home' | 'sharedFiles'>,
    log: Log,
  ) {
    this.#cluster = cluster;
    this.#home = path.resolve(home);
    this.#sharedFiles = sharedFiles;
    this.#log = log;
    this.#sweeping = setInterval(() => this.#sweep(), sweepMs).unref();
  }

  /**
   * Opens the copy of a run, unless it is open.
   * @returns undefined if it is
   * @throws ProblemError `not_found`, `unavailable`, or `storage`
   */
  open(id: string): Promise<void> | undefined {
    if (this.#usable(id) !== undefined) return undefined;
    const known = this.#opening.get(id);
    if (known !== undefined) return known;
    const opening = this.#open(id).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  /** The copy of a run that was opened. @throws ProblemError `not_found` */
  of(id: string): KeptMirror {
    const kept = this.#usable(id);
    if (kept === undefined) throw notFound(id);
    return kept;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    await Promise.all([...this.#kept.keys()].map((id) => this.#letGo(id)));
  }

  #usable(id: string): KeptMirror | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.isBroken) return undefined;
    kept.touch();
    return kept;
  }

  async #open(id: string): Promise<void> {
    // It becomes the name of a directory.
    if (!/^\w[\w.-]*$/.test(id)) throw notFound(id);
    const run = await answered(this.#cluster.find(id));
    if (run === undefined) throw notFound(id);
    const onNotice = (notice: string): void => this.#say(notice);
    try {
      const mirror = RunMirror.open(run, path.join(this.#home, id), {
        onNotice,
        patienceMs: Number.POSITIVE_INFINITY,
      });
      const shared = this.#sharedFiles;
      const store = shared === undefined ? run.files : filesIn(shared, id, run.files);
      this.#kept.set(id, new KeptMirror(mirror, store, onNotice));
    } catch (error) {
      throw problemOf(error);
    }
  }

  #say(notice: string): void {
    const now = performance.now();
    if (now - (this.#saidAt.get(notice) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    this.#saidAt.set(notice, now);
    this.#log.write('warning', notice);
  }

  #sweep(): void {
    for (const [notice, at] of this.#saidAt)
      if (performance.now() - at > quietMs) this.#saidAt.delete(notice);
    for (const [id, kept] of this.#kept) if (kept.isBroken || kept.isIdleFor(keptMs)) void this.#letGo(id);
  }

  async #letGo(id: string): Promise<void> {
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    await kept?.close().catch((error: unknown) => this.#say(messageOf(error)));
  }
}

function notFound(id: string): ProblemError {
  return new ProblemError(
    'not_found',
    `there is no run "${id.slice(0, 200)}" in the database; GET /pipelines lists the runs`,
  );
}
