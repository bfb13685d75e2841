import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Problem, ProblemCode } from '../api/problem.js';

/** Answers what cannot be read as a request at all, which no route ever sees (`clientError` of Node's server). */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, message } = meaningOf(error);
  const problem: Problem = { error: { code, message } };
  const body = JSON.stringify(problem);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  // A client that still sends would not see the answer if the connection were closed with it; the wait for
  // it is short.
  socket.removeAllListeners('data').on('data', () => undefined);
  const late = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(late));
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Milliseconds for which later data of a client is read and dropped. */
const lingerMs = 500;

interface Meaning {
  readonly status: number;
  readonly code: ProblemCode;
  readonly message: string;
}

function meaningOf({ code }: NodeJS.ErrnoException): Meaning {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, code: 'too_slow', message: 'the request was not received in time' };
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, code: 'too_large', message: 'the headers of the request are too large' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, code: 'too_large', message: 'the extensions of the chunks are too large' };
    default:
      return { status: 400, code: 'bad_request', message: 'this is not a request in HTTP/1.1' };
  }
}
