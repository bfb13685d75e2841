import type { AiSettings } from '../settings.js';

/** Default of `ai.max_requests`: requests of one attempt that are answered. */
export const defaultMaxRequests = 100;

/** Default of `ai.request_retries`. */
export const defaultRequestRetries = 5;

/** Number of requests for a summary, each with half as much text as the one before, if they are too long themselves. */
export const mostSummaryRequests = 3;

/**
 * Most requests that one attempt sends: for its replies, one that is refused as too long, and those for a summary, each of them repeated;
 * a fallback that takes over a request repeats it again (SEMANTICS 122, 125, 130).
 */
export function requestsOfAttempt(
  {
    max_requests: replies = defaultMaxRequests,
    request_retries: retries = defaultRequestRetries,
  }: Pick<AiSettings, 'max_requests' | 'request_retries'>,
  fallbacks: number,
): number {
  return (replies + 1 + mostSummaryRequests + fallbacks) * (1 + retries);
}
