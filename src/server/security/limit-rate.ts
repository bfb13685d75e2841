import { ProblemError } from '../problem-error.js';
import { clientAddress } from './client-address.js';
import type { Guard } from './guard.js';
import { burstSeconds } from './limits.js';
import type { Authentication } from './require-token.js';
import { TokenBuckets } from './token-bucket.js';

/**
 * Refuses a client with more requests than the limit (§9.5). Clients without the token have separate
 * buckets: behind one address (a proxy, a tunnel, this machine) they do not exhaust those with the token.
 */
export function limitRate(
  { requestsPerSecond, now }: { readonly requestsPerSecond: number; readonly now: () => number },
  { identify }: Authentication,
): Guard {
  const atOnce = Math.max(1, requestsPerSecond * burstSeconds);
  const limits = { atOnce, perSecond: requestsPerSecond };
  const known = new TokenBuckets(limits, now);
  const strangers = new TokenBuckets(limits, now);
  return (c) => {
    const { sender } = identify(c);
    const buckets = sender === 'nobody' || sender === 'wrong' ? strangers : known;
    const retryAfter = buckets.take(clientAddress(c));
    if (retryAfter === undefined) return undefined;
    throw new ProblemError(
      'too_many_requests',
      `more than ${requestsPerSecond} requests per second came from this address; try again in ${retryAfter} s`,
      { retryAfter },
    );
  };
}
