import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../run/driver/clock.js';
import { workedUntil } from '../../view/fold/count-work.js';
import type { ServerBounds } from '../server-options.js';
import type { OwnRun } from './own-run.js';

/** The share of the time that measuring a directory may take. */
const measuringShare = 0.02;
/** Milliseconds between two measurements of a run whose stages tell nothing. */
const measureEveryMs = 5000;

/** The run that is watched. */
type WatchedRun = Pick<OwnRun, 'directory' | 'view' | 'manifest' | 'isRequested' | 'pause'>;

/**
 * Holds the bounds of time and disk for a run that this server executes, with all runs below it. A run that passes one is paused;
 * as long as the bound stays, it pauses again when it is resumed.
 */
export class BoundsWatch {
  readonly #run: WatchedRun;
  readonly #bounds: ServerBounds;
  readonly #clock: Clock;
  /** Start of the work under way. */
  #since: string | undefined;
  #waiting = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isMeasuring = false;
  #measureAfter = 0;

  constructor(run: WatchedRun, bounds: ServerBounds, clock: Clock) {
    this.#run = run;
    this.#bounds = bounds;
    this.#clock = clock;
  }

  /** Looks at the run after each of its events. */
  look(): void {
    const { since } = this.#run.view.worked;
    if (since !== this.#since) {
      this.close();
      this.#since = since;
      this.#waiting = new AbortController();
      if (since !== undefined) this.#watchTime().catch(() => undefined);
    }
    if (since !== undefined) this.#measure();
  }

  close(): void {
    this.#since = undefined;
    this.#waiting.abort();
    clearTimeout(this.#timer);
  }

  /** The time of a simulation is not spent. */
  async #watchTime(): Promise<void> {
    const { manifest, view } = this.#run;
    if (manifest.options.simulate) return;
    const { milliseconds, text } = this.#bounds.maxTime;
    const left = (): number =>
      milliseconds - workedUntil(view.worked, new Date(this.#clock.now()).toISOString());
    for (let rest = left(); rest > 0; rest = left()) await this.#clock.sleep(rest, this.#waiting.signal);
    this.#pause(`the run has worked for ${text}, the limit set by \`${this.#flag('--max-time')}\``);
  }

  /** Without keeping the others waiting: the next time is later the longer it has taken. */
  #measure(): void {
    if (this.#isMeasuring || performance.now() < this.#measureAfter) return;
    this.#isMeasuring = true;
    clearTimeout(this.#timer);
    const began = performance.now();
    void bytesBelow(this.#run.directory).then((bytes) => {
      this.#isMeasuring = false;
      const took = performance.now() - began;
      this.#measureAfter = performance.now() + took / measuringShare;
      if (this.#since === undefined) return;
      const { maxDiskBytes } = this.#bounds;
      if (bytes > maxDiskBytes)
        return this.#pause(
          `the run takes ${megabytes(bytes)} on disk, but \`${this.#flag('--max-disk')}\` allows ${megabytes(maxDiskBytes)}`,
        );
      const wait = Math.max(measureEveryMs, took / measuringShare);
      this.#timer = setTimeout(() => this.#measure(), wait).unref();
    });
  }

  #flag(name: string): string {
    return `${this.#bounds.setBy} ${name}`;
  }

  #pause(problem: string): void {
    if (this.#run.isRequested('pause') || this.#run.isRequested('cancel')) return;
    const reason = `${problem}; to continue, raise the limit and resume the run`;
    this.#run.pause({ mode: 'now', reason });
  }
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MB`;
}

/** Bytes that the files below a directory take; what disappears meanwhile, and what nobody may read, counts nothing. */
async function bytesBelow(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) bytes += await bytesBelow(file);
    else
      bytes += await lstat(file).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      );
  }
  return bytes;
}
