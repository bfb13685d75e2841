import { fieldOf, headerOf, textFieldOf } from './error-fields.js';

/** Maximum of a requested pause in milliseconds: one hour. */
export const longestWait = 3_600_000;

const deepestCause = 8;

/**
 * Pause that the other side requests, in milliseconds: the headers `retry-after-ms` and `retry-after`, in
 * seconds or as a date, or the `RetryInfo` in an answer of Google, of an error or of its causes. Undefined without one.
 * @param now milliseconds since 1970, for a date of a server that does not tell its own time
 */
export function retryAfterMs(error: unknown, now = Date.now()): number | undefined {
  let cause = error;
  for (let depth = 0; depth < deepestCause && cause !== undefined; depth += 1) {
    const wait = ownRetryAfterMs(cause, now);
    if (wait !== undefined) return Math.min(wait, longestWait);
    cause = fieldOf(cause, 'cause') ?? fieldOf(cause, 'lastError');
  }
  return undefined;
}

function ownRetryAfterMs(error: unknown, now: number): number | undefined {
  const milliseconds = atLeastZero(Number(headerOf(error, 'retry-after-ms') ?? Number.NaN));
  if (milliseconds !== undefined) return milliseconds;
  const written = headerOf(error, 'retry-after');
  if (written === undefined || written.trim() === '') return inBody(error);
  const seconds = Number(written);
  if (!Number.isNaN(seconds)) return atLeastZero(seconds * 1000);
  // The clock of this machine may differ from that of the server.
  const told = Date.parse(headerOf(error, 'date') ?? '');
  return atLeastZero(Math.max(0, Date.parse(written) - (Number.isNaN(told) ? now : told)));
}

const retryInfo = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/;

/** Pause in the body of an answer, as `google.rpc.RetryInfo` has it. */
function inBody(error: unknown): number | undefined {
  const seconds = retryInfo.exec(textFieldOf(error, 'responseBody') ?? '')?.[1];
  return seconds === undefined ? undefined : atLeastZero(Number(seconds) * 1000);
}

function atLeastZero(value: number): number | undefined {
  return value >= 0 ? Math.ceil(value) : undefined;
}
