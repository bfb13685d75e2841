import { watch } from 'node:fs';
import path from 'node:path';
import { untilAborted } from '../abort/abort.js';
import type { RunEvent } from '../machine/event.js';
import { linkOf } from '../run-directory/hashed-line.js';
import { runFiles } from '../run-directory/run-files.js';
import { runOwner } from '../run-directory/run-requests.js';
import { JournalTail } from './journal-tail.js';

/** Interval for file systems that do not report changes, such as network file systems. */
const pollMs = 500;

/**
 * Lines of a journal, future ones included, until the run has ended: it may be paused or interrupted, and
 * continue in another process.
 * @param onIdle called each time the lines end and no process executes the run, although it has not ended
 * @param signal ends it
 */
export async function* followJournal(
  directory: string,
  onIdle: (lastEvent: RunEvent['type'] | undefined) => void,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const tail = new JournalTail(path.join(directory, runFiles.journal));
  const changes = new Changes(directory);
  let last: string | undefined;
  let wasIdle = false;
  try {
    while (!signal.aborted) {
      // Read before the lines: after the owner is gone, no further line will come.
      const owner = runOwner(directory);
      for (const line of tail.read()) {
        if (signal.aborted) return;
        yield line;
        // What an interrupted reply has cost may come after the end of the run.
        if (!line.includes(ofUsage)) last = line;
      }
      const event = readEvent(last);
      // A process that still has the run may add what an interrupted reply has cost, or resumes it.
      if (owner === undefined && event !== undefined && endsRun(event)) return;
      if (owner === undefined && !wasIdle) onIdle(event?.type);
      wasIdle = owner === undefined;
      await changes.next(signal);
    }
  } finally {
    changes.close();
  }
}

/** Part of the line of such an event, and of no text: quotes are escaped there. */
const ofUsage = '"type":"ModelUsed"';

/** True for the event after which a run continues only if it is resumed. */
function endsRun({ type }: RunEvent): boolean {
  return type === 'PipelineCompleted' || type === 'PipelineFailed' || type === 'PipelineCancelled';
}

/** @returns undefined for a line that is damaged */
export function readEvent(line: string | undefined): RunEvent | undefined {
  try {
    const event = JSON.parse(linkOf(line ?? '').text) as RunEvent | null;
    return typeof event?.seq === 'number' && typeof event.type === 'string' ? event : undefined;
  } catch {
    return undefined;
  }
}

/** Waits for changes in a directory. */
class Changes {
  readonly #stop: () => void;
  #hasChanged = false;
  #wake: () => void = () => undefined;

  constructor(directory: string) {
    const notice = (): void => {
      this.#hasChanged = true;
      this.#wake();
    };
    this.#stop = watchQuietly(directory, notice);
  }

  /**
   * Resolves at the next change, at once for a change since the last wait, after `pollMs`, or when the
   * signal is aborted.
   */
  next(signal: AbortSignal): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const change = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, pollMs);
      this.#wake = resolve;
      if (this.#hasChanged) resolve();
    });
    return untilAborted(change, signal).finally(() => {
      clearTimeout(timer);
      this.#wake = () => undefined;
      this.#hasChanged = false;
    });
  }

  close(): void {
    this.#stop();
  }
}

/** Watches a directory; does nothing if the system cannot watch, and polling remains. */
function watchQuietly(directory: string, onChange: () => void): () => void {
  try {
    const watcher = watch(directory, onChange);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
