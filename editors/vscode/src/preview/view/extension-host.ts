import type { FromPreview, ToPreview } from '../messages.js';

declare function acquireVsCodeApi(): { postMessage(message: FromPreview): void };

const host = acquireVsCodeApi();

/** Sends a message to the extension. */
export function send(message: FromPreview): void {
  host.postMessage(message);
}

/** Listens to the extension, and says that it does. @returns a function that stops */
export function listen(receive: (message: ToPreview) => void): () => void {
  const onMessage = ({ data }: MessageEvent<ToPreview>): void => receive(data);
  addEventListener('message', onMessage);
  send({ kind: 'ready' });
  return () => removeEventListener('message', onMessage);
}
