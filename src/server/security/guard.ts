import type { Context } from 'hono';

/** Looks at a request before any route does: throws a `ProblemError`, answers itself, or has nothing against it. */
export type Guard = (c: Context) => Response | undefined;

/** Takes in the body that a request brings. */
export type Receiver = (c: Context) => Promise<void>;
