import { abortWith, untilAborted } from '../../abort/abort.js';
import { followEvents } from '../../journal/follow-events.js';
import type { RunEvent } from '../../machine/event.js';
import { holdsRun } from '../../run-directory/run-files.js';
import { isOver } from '../../view/run-status.js';
import type { OwnRun } from './own-run.js';
import type { RunExecutor } from './run-executor.js';
import type { RunEventsOptions } from './run-registry.js';

/** Run to be followed, whatever process executes it. */
export interface Followed {
  readonly id: string;
  readonly directory: string;
  readonly executor: RunExecutor;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
}

/**
 * The events of a run, each once and in order, until it has ended (§9.6): from this process while it executes the run, else
 * from the journal, which another process may be writing; over pauses, and over the time in the queue.
 */
export async function* followRun(run: Followed, options: RunEventsOptions): AsyncGenerator<RunEvent> {
  const { id, directory, executor, closing } = run;
  const stop = new AbortController();
  const release = abortWith(stop, options.signal, closing);
  const place = { next: Math.max(1, options.from ?? 1), signal: stop.signal };
  try {
    while (!stop.signal.aborted) {
      const own = executor.own(id);
      if (own !== undefined) {
        yield* ofOwn(own, executor, place);
        if (hasEnded(own) && !executor.queue.has(id)) return;
      } else if (holdsRun(directory)) {
        const end = yield* ofOthers(run, place);
        if (end === 'over' && !executor.queue.has(id)) return;
        if (end === 'over') await untilStarted(run, stop.signal);
      } else if (executor.queue.has(id)) {
        await untilStarted(run, stop.signal);
      } else return;
    }
  } finally {
    release();
  }
}

/** Position of a follower. */
interface Place {
  next: number;
  readonly signal: AbortSignal;
}

async function* ofOwn(own: OwnRun, executor: RunExecutor, place: Place): AsyncGenerator<RunEvent> {
  const execution = await own.execution();
  try {
    for await (const event of execution?.events({ from: place.next, signal: place.signal }) ?? []) {
      place.next = event.seq + 1;
      yield event;
    }
  } catch {
    // What broke the run off is in the log. It has not ended, and may continue.
  }
  if (!place.signal.aborted) await executor.untilFinished(own.id);
}

/** @returns `started` where this process executes it from here on */
async function* ofOthers(run: Followed, place: Place): AsyncGenerator<RunEvent, 'over' | 'started'> {
  const { id, directory, executor } = run;
  const stop = new AbortController();
  const release = abortWith(stop, place.signal);
  const forget = executor.onStart(id, () => stop.abort());
  try {
    for await (const event of followEvents(directory, { from: place.next, signal: stop.signal })) {
      place.next = event.seq + 1;
      yield event;
    }
    return stop.signal.aborted ? 'started' : 'over';
  } finally {
    forget();
    release();
  }
}

function untilStarted({ id, executor }: Followed, signal: AbortSignal): Promise<void> {
  let forget = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    forget = executor.onStart(id, resolve);
  });
  return untilAborted(started, signal).finally(forget);
}

function hasEnded({ view }: OwnRun): boolean {
  return isOver(view.status);
}
