import { EventFeed } from './api/event-feed.js';
import { serverState } from './api/request.js';
import type { FromTab, ToTab } from './api/shared-feed.js';

// The worker of all tabs: it holds their one connection to the server, and gives each tab the events of its runs.

/** The scripts lie in a folder of the page. */
const feed = new EventFeed('../');

addEventListener('connect', (event) => {
  if (!(event instanceof MessageEvent)) return;
  for (const port of event.ports) serve(port);
});

function serve(port: MessagePort): void {
  const followed = new Map<number, () => void>();
  const send = (message: ToTab): void => port.postMessage(message);
  let isFirst = true;
  const forget = serverState.subscribe((state) => {
    if (!isFirst || state !== 'there') send({ kind: 'server', state });
    isFirst = false;
  });
  port.addEventListener('message', ({ data }: MessageEvent<FromTab>) => {
    const { key } = data;
    if (data.kind === 'leave') {
      followed.get(key)?.();
      followed.delete(key);
      return;
    }
    const leave = feed.follow(data.runId, data.after, {
      onEvents: (events) => send({ kind: 'events', key, events }),
      onState: (state) => send({ kind: 'state', key, state }),
    });
    followed.set(key, leave);
  });
  // A tab lets go when it is hidden, which it also is before it closes; this is for one that crashed.
  port.addEventListener('close', () => {
    forget();
    for (const leave of followed.values()) leave();
    followed.clear();
  });
  port.start();
}
