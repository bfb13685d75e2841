import { delayAfterAttempt } from '../../graph/retry-policy.js';
import { retryAfterMs } from '../../handlers/retry-after.js';
import { RequestError } from './request-error.js';

/** Limits of repeating a failed request. */
export interface Repetitions {
  /** Number of repetitions of a request. */
  readonly retries: number;
  /** Uniform in [0, 1). */
  random(): number;
}

/** Longest pause that a server may ask for, in milliseconds; a longer one is left to the retries of the stage (SEMANTICS 122). */
const longestPause = 300_000;

/** Together about two minutes for five repetitions. */
const backoff = { initialDelayMs: 2000, factor: 3, maxDelayMs: 60_000, jitter: true };

/**
 * Pause before a request is repeated, in milliseconds; undefined if it may not be (SEMANTICS 122).
 * @param requests number of requests so far
 */
export function pauseBeforeRepetition(
  error: RequestError,
  requests: number,
  limits: Repetitions,
): number | undefined {
  if (error.failure_category !== 'retryable' || requests > limits.retries) return undefined;
  const wanted = retryAfterMs(error) ?? 0;
  if (wanted > longestPause) return undefined;
  return Math.max(wanted, delayAfterAttempt(backoff, requests, limits.random()));
}

/** The failure of the last of several requests, with the pause that the server asks for if it is too long. */
export function lastFailure(error: RequestError, requests: number): RequestError {
  const wanted = error.failure_category === 'retryable' ? (retryAfterMs(error) ?? 0) : 0;
  const asksToWait = wanted > longestPause ? wanted : undefined;
  return new RequestError(error.failure, { requests, asksToWait });
}
