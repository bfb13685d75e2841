import type { MiddlewareHandler } from 'hono';
import { isSafeMethod } from './check-origin.js';
import type { Guard, Receiver } from './guard.js';

/**
 * Asks all guards in their order, and only then takes the body in (§9.5). All of it is one middleware, because every request goes
 * through it, and one for each guard takes longer than what they do.
 */
export function guarded(guards: readonly Guard[], receive: Receiver): MiddlewareHandler {
  return async (c, next) => {
    for (const guard of guards) {
      const answer = guard(c);
      if (answer !== undefined) return answer;
    }
    if (!isSafeMethod(c.req.method)) await receive(c);
    await next();
    return undefined;
  };
}
