import { onAbort } from '../../abort/abort.js';
import type { EventListeners } from './event-feed.js';
import { sharedFeed } from './shared-feed.js';

/**
 * Follows the events of a run while the page is visible: a hidden tab disconnects, and continues after its
 * last event when it is shown again.
 * @param after number of the last known event
 */
export function followWhileVisible(
  runId: string,
  after: number,
  { onEvents, onState }: EventListeners,
  signal: AbortSignal,
): void {
  let last = after;
  let isOver = false;
  let leave: (() => void) | undefined;
  const listeners: EventListeners = {
    onEvents(events) {
      last = events.at(-1)?.seq ?? last;
      onEvents(events);
    },
    onState(state) {
      isOver = state.kind === 'ended' || state.kind === 'failed';
      onState(state);
    },
  };
  const look = (): void => {
    if (document.visibilityState === 'hidden') {
      leave?.();
      leave = undefined;
    } else if (!isOver) leave ??= sharedFeed().follow(runId, last, listeners);
  };
  document.addEventListener('visibilitychange', look);
  onAbort(signal, () => {
    document.removeEventListener('visibilitychange', look);
    leave?.();
  });
  look();
}
