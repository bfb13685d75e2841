import { useEffect, useMemo, useState } from 'preact/hooks';
import type { StreamState } from '../api/event-feed.js';
import { followWhileVisible } from '../api/follow-while-visible.js';
import { LiveRun } from './model/live-run.js';

/**
 * Follows the events of a run, from its first one on, each folded once; what comes within a frame is shown together.
 * @param isKnown whether its pipeline has been loaded, or cannot be
 * @param goesOn whether more may come although a stream said that it was over: the run has been resumed
 */
export function useLiveRun(
  runId: string,
  isKnown: boolean,
  goesOn: boolean,
): { readonly live: LiveRun | undefined; readonly stream: StreamState } {
  const live = useMemo(() => (isKnown ? new LiveRun() : undefined), [isKnown, runId]);
  const [stream, setStream] = useState<StreamState>({ kind: 'connecting' });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (live === undefined) return undefined;
    const leaving = new AbortController();
    let frame: number | undefined;
    const show = (): void => {
      frame = undefined;
      live.publish();
    };
    const listeners = {
      onEvents: (events: Parameters<LiveRun['add']>[0]) => {
        live.add(events);
        frame ??= requestAnimationFrame(show);
      },
      onState: (next: StreamState) => setStream((before) => (before.kind === next.kind ? before : next)),
    };
    followWhileVisible(runId, live.events.at(-1)?.seq ?? 0, listeners, leaving.signal);
    return () => {
      leaving.abort();
      if (frame === undefined) return;
      cancelAnimationFrame(frame);
      // A stream that is opened again begins after these events: no other would show them.
      show();
    };
  }, [runId, live, round]);
  useEffect(() => {
    if (stream.kind === 'ended' && goesOn) setRound((before) => before + 1);
  }, [stream.kind, goesOn]);
  return { live, stream };
}
