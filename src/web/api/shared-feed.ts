import type { RunEvent } from '../../machine/event.js';
import { EventFeed, type EventListeners, type Feed, type StreamState } from './event-feed.js';
import { serverState } from './request.js';

/** Message of a tab to the worker that holds the connection of all tabs. */
export type FromTab =
  | { readonly kind: 'follow'; readonly key: number; readonly runId: string; readonly after: number }
  | { readonly kind: 'leave'; readonly key: number };

/** Message of the worker to a tab. */
export type ToTab =
  | { readonly kind: 'events'; readonly key: number; readonly events: readonly RunEvent[] }
  | { readonly kind: 'state'; readonly key: number; readonly state: StreamState }
  | { readonly kind: 'server'; readonly state: typeof serverState.value };

interface Followed {
  readonly runId: string;
  readonly listeners: EventListeners;
  last: number;
}

let known: Feed | undefined;

/** Feed of this tab: one connection for all tabs if the browser has shared workers, else a separate one. */
export function sharedFeed(): Feed {
  known ??= openFeed();
  return known;
}

function openFeed(): Feed {
  const script = document.querySelector<HTMLMetaElement>('meta[name=events-worker]')?.content;
  if (script === undefined || typeof SharedWorker === 'undefined') return new EventFeed('');
  return new WorkerFeed(new SharedWorker(script, { type: 'module', name: 'attractor events' }));
}

/** Follows runs through the worker; should that not load, as after an upgrade of the server, by itself. */
class WorkerFeed implements Feed {
  readonly #port: MessagePort;
  readonly #followed = new Map<number, Followed>();
  #keys = 0;
  #own: { readonly feed: Feed; readonly leave: Map<number, () => void> } | undefined;

  constructor(worker: SharedWorker) {
    this.#port = worker.port;
    this.#port.onmessage = ({ data }: MessageEvent<ToTab>) => this.#hear(data);
    worker.onerror = () => this.#goAlone();
  }

  follow(runId: string, after: number, listeners: EventListeners): () => void {
    this.#keys += 1;
    const key = this.#keys;
    this.#followed.set(key, { runId, listeners, last: after });
    if (this.#own === undefined) this.#send({ kind: 'follow', key, runId, after });
    else this.#followAlone(key);
    return () => {
      this.#followed.delete(key);
      if (this.#own === undefined) this.#send({ kind: 'leave', key });
      else this.#own.leave.get(key)?.();
    };
  }

  #send(message: FromTab): void {
    this.#port.postMessage(message);
  }

  #hear(message: ToTab): void {
    if (message.kind === 'server') {
      serverState.value = message.state;
      return;
    }
    const followed = this.#followed.get(message.key);
    if (followed === undefined) return;
    if (message.kind === 'state') return followed.listeners.onState(message.state);
    followed.last = message.events.at(-1)?.seq ?? followed.last;
    followed.listeners.onEvents(message.events);
  }

  #goAlone(): void {
    if (this.#own !== undefined) return;
    this.#port.close();
    this.#own = { feed: new EventFeed(''), leave: new Map() };
    for (const key of this.#followed.keys()) this.#followAlone(key);
  }

  #followAlone(key: number): void {
    const followed = this.#followed.get(key);
    if (followed === undefined || this.#own === undefined) return;
    this.#own.leave.set(key, this.#own.feed.follow(followed.runId, followed.last, followed.listeners));
  }
}
