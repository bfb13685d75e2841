/** That of the machine: tests that stop the timers of their process do not stop runs. A browser has none. */
const immediately: ((callback: () => void) => void) | undefined = globalThis.setImmediate;

/**
 * Calls back in the next turn of the event loop, when everything that was due has had its turn. Without
 * `setImmediate` a message to oneself is the next best, for a timer would wait for milliseconds.
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
