import type { RunEvent } from '../../machine/event.js';
import { recordedEnd } from './recorded-path.js';
import { attemptKey } from './recorded-run.js';

/** Where a recorded run was paused, and nobody has gone on with it. */
export interface RecordedPause {
  /** The attempt that came to its outcome next when it was told to pause, or last. */
  readonly key: string;
  readonly reason: string;
}

/**
 * Of a run that was told to pause, or had to: before the end of which stage that was, of those that came to an end in spite
 * of it. Undefined where none did and one was still under way, because the replay stops in that one by itself.
 */
export function recordedPause(events: readonly RunEvent[]): RecordedPause | undefined {
  const { status, reason = 'the recorded run was paused here' } = recordedEnd(events);
  if (status !== 'paused') return undefined;
  const open = new Set<string>();
  let last: string | undefined;
  let isPausing = false;
  let next: string | undefined;
  let place = '';
  for (const event of events) {
    switch (event.type) {
      case 'LoopRestarted':
        place = event.directory;
        break;
      case 'PipelinePausing':
        isPausing = true;
        break;
      case 'PipelineResumed':
        isPausing = false;
        next = undefined;
        // It went on elsewhere: what was under way was given up.
        if (event.from === 'fail' || event.node_id !== undefined) open.clear();
        break;
      case 'StageStarted':
        open.add(attemptKey({ place, ...event }));
        break;
      case 'ParallelStarted':
        // It ends with its branches.
        for (const key of open) if (isOf(key, event.node_id)) open.delete(key);
        break;
      case 'StageCompleted':
      case 'StageFailed':
      case 'StageSkipped':
        last = attemptKey({ place, ...event });
        open.delete(last);
        if (isPausing && !('stopped' in event)) next ??= last;
        break;
    }
  }
  const key = next ?? (open.size === 0 ? last : undefined);
  return key === undefined ? undefined : { key, reason };
}

function isOf(key: string, nodeId: string): boolean {
  const [, id] = JSON.parse(key) as readonly unknown[];
  return id === nodeId;
}
