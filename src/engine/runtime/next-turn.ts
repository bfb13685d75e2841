/**
 * Calls back in the next turn of the event loop, when everything that was due has had its turn. A browser has no
 * `setImmediate`; a message to oneself is the next best, for a timer would wait for milliseconds.
 */
export function nextTurn(callback: () => void): void {
  if (typeof setImmediate === 'function') {
    setImmediate(callback);
    return;
  }
  const { port1, port2 } = new MessageChannel();
  const onmessage = (): void => {
    port1.close();
    callback();
  };
  Object.assign(port1, { onmessage });
  port2.postMessage(undefined);
}
