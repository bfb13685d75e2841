import { ProblemError } from '../problem-error.js';
import type { Receiver } from './guard.js';

export interface BodyLimits {
  readonly maxBodyBytes: number;
  /** Milliseconds for the whole body. */
  readonly timeoutMs: number;
}

/**
 * Receives the whole body of a request before it is used (§9.5, SEMANTICS 73): one that is too large is
 * refused as soon as that is known, whatever its announced length, and a slow one times out.
 */
export function receiveBody(limits: BodyLimits): Receiver {
  return async (c) => {
    if (Number(c.req.header('content-length') ?? 0) > limits.maxBodyBytes) throw tooLarge(limits);
    const { body } = c.req.raw;
    if (body === null) return;
    const bytes = await read(body.getReader(), limits);
    const { method, headers, url, signal } = c.req.raw;
    c.req.raw = new Request(url, { method, headers, signal, body: bytes });
  };
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

async function read(reader: Reader, limits: BodyLimits): Promise<Uint8Array<ArrayBuffer>> {
  const { promise: late, stop } = deadline(limits.timeoutMs);
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const read = await Promise.race([reader.read(), late]);
      if (read === 'late') throw tooSlow(limits);
      if (read.done) return Uint8Array.from(Buffer.concat(parts, length));
      length += read.value.byteLength;
      if (length > limits.maxBodyBytes) throw tooLarge(limits);
      parts.push(read.value);
    }
  } catch (error) {
    // The rest of the body does not matter, nor does a failure to refuse it.
    reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    stop();
  }
}

function deadline(milliseconds: number): { readonly promise: Promise<'late'>; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), milliseconds);
  });
  return { promise, stop: () => clearTimeout(timer) };
}

// The connection is not closed with the answer, which a client that still sends would never see. The
// adapter of Hono reads on for a moment, drops the data, and then closes; none of it is taken for the next
// request.

function tooLarge({ maxBodyBytes }: BodyLimits): ProblemError {
  return new ProblemError(
    'too_large',
    `the body of the request is larger than ${maxBodyBytes} bytes, the limit of this server`,
  );
}

function tooSlow({ timeoutMs }: BodyLimits): ProblemError {
  return new ProblemError(
    'too_slow',
    `the body of the request was not received within ${timeoutMs / 1000} s`,
  );
}
