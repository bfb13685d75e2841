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
  const stop = (): void => {
    signal?.removeEventListener('abort', stop);
    stopping.abort();
  };
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
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
