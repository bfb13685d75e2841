import type { RunEvent } from '../../machine/event.js';
import type { RunDetail } from '../api/run.js';
import type { RunRegistry } from './run-registry.js';

type RunsToFollow = Pick<RunRegistry, 'fetch' | 'events' | 'directory' | 'detailText'>;

/** Run to follow, and the number of the last event that the client has. */
export interface FollowedRun {
  readonly run: string;
  readonly after: number;
}

/** Message of a stream of several runs. */
export type RunMessage =
  | { readonly kind: 'event'; readonly run: string; readonly event: RunEvent }
  /** The run has ended: no more comes of it. */
  | { readonly kind: 'end'; readonly run: string; readonly status: string; readonly seq: number }
  /** Reason why no more events of this run can come. */
  | { readonly kind: 'problem'; readonly run: string; readonly error: unknown };

/**
 * Events of several runs (SEMANTICS 73), those of each run in order. Runs take turns: none is read further
 * ahead than one event, so that a run with many events does not delay the others.
 */
export async function* followRuns(
  registry: RunsToFollow,
  followed: readonly FollowedRun[],
  signal: AbortSignal,
): AsyncGenerator<RunMessage> {
  const sources = followed.map((one) => messagesOf(registry, one, signal));
  const ready: { readonly source: AsyncGenerator<RunMessage>; readonly message: RunMessage }[] = [];
  let open = sources.length;
  let wake: () => void = () => undefined;
  const take = async (source: AsyncGenerator<RunMessage>): Promise<void> => {
    const next = await source.next();
    if (next.done === true) open -= 1;
    else ready.push({ source, message: next.value });
    wake();
  };
  for (const source of sources) void take(source);
  try {
    while (open > 0) {
      const next = ready.shift();
      if (next === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else {
        yield next.message;
        void take(next.source);
      }
    }
  } finally {
    // One that waits for its next event ends with the signal.
    void Promise.allSettled(sources.map((source) => source.return(undefined)));
  }
}

/** End of a run: from the cached text for all clients, since making it takes long for a long run. */
export function messageOfEnd(
  registry: Pick<RunRegistry, 'detailText'>,
  run: string,
): Pick<RunDetail, 'status' | 'seq'> {
  const { status, seq } = JSON.parse(registry.detailText(run)) as RunDetail;
  return { status, seq };
}

/** Messages of one run; never throws, since an unreadable run is a message as well. */
async function* messagesOf(
  registry: RunsToFollow,
  { run, after }: FollowedRun,
  signal: AbortSignal,
): AsyncGenerator<RunMessage> {
  try {
    await registry.fetch(run, 'history');
    registry.directory(run);
    for await (const event of registry.events(run, { from: after + 1, signal })) {
      if (signal.aborted) return;
      yield { kind: 'event', run, event };
    }
    if (signal.aborted) return;
    yield { kind: 'end', run, ...messageOfEnd(registry, run) };
  } catch (error) {
    yield { kind: 'problem', run, error };
  }
}
