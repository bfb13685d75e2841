import { request } from 'node:http';
import { connect } from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request with exactly this path, which `fetch` would tidy up. */
export function sendRaw(
  port: number,
  { method = 'GET', path, headers, body }: RawRequest,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      const end = (): void => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
      };
      answer.on('end', end);
      // A stream has no end of its own: what it says first is enough.
      if (String(answer.headers['content-type']).startsWith('text/event-stream')) {
        answer.once('data', () => {
          end();
          call.destroy();
        });
      }
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** Writes these bytes, and gives all that comes back until the other side closes the connection. */
export function sendBytes(port: number, ...parts: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // What is still being written when the other side closes is of no interest.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}
