/** The machine's own: tests that stop the timers of their process do not stop runs. A browser has none. */
const immediately: ((callback: () => void) => void) | undefined = globalThis.setImmediate;

/**
 * Calls back in the next turn of the event loop, after everything that was due. Without `setImmediate` a
 * message to oneself is the next best, because a timer would wait for milliseconds.
 */
export function nextTurn(callback: () => void): void {
  if (immediately !== undefined) return immediately(callback);
  const { port1, port2 } = new MessageChannel();
  const onmessage = (): void => {
    port1.close();
    callback();
  };
  Object.assign(port1, { onmessage });
  port2.postMessage(undefined);
}
