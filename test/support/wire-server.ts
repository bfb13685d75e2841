import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server on loopback that sends exactly these texts, one a request, as event streams. */
export interface WireServer {
  readonly url: string;
  /** The bodies of the requests, parsed. */
  readonly requests: readonly unknown[];
}

/** Starts one that is gone when the test that asked for it has ended; the last text repeats. */
export async function wireServer(...texts: readonly string[]): Promise<WireServer> {
  const requests: unknown[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = texts[Math.min(requests.length, texts.length - 1)];
      requests.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests };
}

/** Events of a stream, each an object with a `type`, or only data. */
export function eventStream(...events: readonly object[]): string {
  return events
    .map((event) => {
      const name = 'type' in event ? `event: ${event.type}\n` : '';
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join('');
}
