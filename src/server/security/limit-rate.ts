import { ProblemError } from '../problem-error.js';
import { clientAddress } from './client-address.js';
import type { Guard } from './guard.js';
import { burstSeconds } from './limits.js';
import { TokenBuckets } from './token-bucket.js';

/** Refuses a client that sends more requests than the server is told to take (§9.5). */
export function limitRate({
  requestsPerSecond,
  now,
}: {
  readonly requestsPerSecond: number;
  readonly now: () => number;
}): Guard {
  const atOnce = Math.max(1, requestsPerSecond * burstSeconds);
  const buckets = new TokenBuckets({ atOnce, perSecond: requestsPerSecond }, now);
  return (c) => {
    const retryAfter = buckets.take(clientAddress(c));
    if (retryAfter === undefined) return undefined;
    throw new ProblemError(
      'too_many_requests',
      `more than ${requestsPerSecond} requests a second came from this address; try again in ${retryAfter} s`,
      { retryAfter },
    );
  };
}
