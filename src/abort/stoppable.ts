import { abortWith } from './abort.js';

/**
 * An iterator that may be left at any time: what is being waited for then ends at once, instead of when the next item
 * comes, which may be never.
 * @param generate is given a signal that is aborted when nobody wants more
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
