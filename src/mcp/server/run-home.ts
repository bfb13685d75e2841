import { judgeBy } from '../../server/judging/judge-pipeline.js';
import { openRunRegistry } from '../../server/runs/open-run-registry.js';
import type { RunRegistry } from '../../server/runs/run-registry.js';
import type { ServerOptions } from '../../server/server-options.js';
import type { Log } from '../../telemetry/log.js';

/** Milliseconds between two looks whether runs are left. */
const lookMs = 1000;

/**
 * Runs of a home, opened when a call needs them and closed when none is left, because only one process serves a home: two agents
 * in one directory take turns.
 */
export class RunHome {
  readonly #options: ServerOptions;
  readonly #log: Log;
  #registry: Promise<RunRegistry> | undefined;
  #closing: Promise<void> = Promise.resolve();
  #uses = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(options: ServerOptions, log: Log) {
    this.#options = options;
    this.#log = log;
  }

  get directory(): string {
    return this.#options.home;
  }

  /** Uses the registry, which stays open until then. @throws UsageError where another process serves the home */
  async use<Result>(action: (registry: RunRegistry) => Promise<Result>): Promise<Result> {
    this.#uses += 1;
    try {
      return await action(await this.#open());
    } finally {
      this.#uses -= 1;
    }
  }

  async #open(): Promise<RunRegistry> {
    await this.#closing;
    if (this.#registry === undefined) {
      const opening = openRunRegistry(this.#options, { log: this.#log, judge: judgeBy() });
      this.#registry = opening;
      opening.catch(() => {
        this.#registry = undefined;
      });
      this.#watch = setInterval(() => void this.#closeIfIdle(opening), lookMs).unref();
    }
    return this.#registry;
  }

  async #closeIfIdle(opening: Promise<RunRegistry>): Promise<void> {
    const registry = await opening.catch(() => undefined);
    if (registry === undefined || this.#registry !== opening) return;
    const { running, queued } = registry.counts();
    if (this.#uses === 0 && running === 0 && queued === 0) await this.close();
  }

  /** Pauses what runs, so that it can be resumed, and releases the home. */
  close(): Promise<void> {
    const open = this.#registry;
    this.#registry = undefined;
    clearInterval(this.#watch);
    if (open !== undefined)
      this.#closing = open.then(
        (registry) => registry.close(),
        () => undefined,
      );
    return this.#closing;
  }
}
