import { abortWith } from './abort.js';

/**
 * Iterator that may be left at any time: a pending wait then ends at once, instead of with the next item,
 * which may never come.
 * @param generate receives a signal that is aborted when the consumer leaves
 * @param signal ends it too
 */
export function stoppable<Item>(
  generate: (signal: AbortSignal) => AsyncGenerator<Item>,
  signal?: AbortSignal,
): AsyncIterableIterator<Item> {
  const stopping = new AbortController();
  const release = abortWith(stopping, signal);
  const stop = (): void => {
    release();
    stopping.abort();
  };
  const items = generate(stopping.signal);
  return {
    async next() {
      const item = await items.next();
      if (item.done) stop();
      return item;
    },
    return() {
      stop();
      return items.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
