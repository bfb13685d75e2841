import type { Context } from 'hono';
import { ProblemError } from '../problem-error.js';
import type { Guard } from './guard.js';

/** True for a method that changes nothing. */
export function isSafeMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Refuses what a page of another site makes a browser send (§9.5): browsers say where a request comes from, in `Origin` and
 * `Sec-Fetch-Site`, and pages cannot change it. Another port of the same machine is another site. A link may lead here.
 */
export const checkOrigin: Guard = (c) => {
  const origin = c.req.header('origin');
  if (origin !== undefined && !isOwn(origin, c)) throw foreign(`its Origin is "${origin.slice(0, 200)}"`);
  const site = c.req.header('sec-fetch-site');
  const isOther = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (isOther && !isLinkFollowed(c)) throw foreign(`its Sec-Fetch-Site is "${site.slice(0, 50)}"`);
  return undefined;
};

/** True if the request says that it comes from the page itself. */
export function comesFromPage(c: Context): boolean {
  return c.req.header('origin') !== undefined || c.req.header('sec-fetch-site') !== undefined;
}

/** True for an own origin, by host and port: a proxy may have added the encryption. */
function isOwn(origin: string, c: Context): boolean {
  const host = (c.req.header('host') ?? new URL(c.req.url).host).toLowerCase();
  try {
    const { protocol, host: its } = new URL(origin);
    const plain = protocol === 'https:' ? host.replace(/:443$/, '') : host.replace(/:80$/, '');
    return (protocol === 'http:' || protocol === 'https:') && its === plain;
  } catch {
    // "null", as frames without an origin say.
    return false;
  }
}

function isLinkFollowed(c: Context): boolean {
  return (
    isSafeMethod(c.req.method) &&
    c.req.header('sec-fetch-mode') === 'navigate' &&
    c.req.header('sec-fetch-dest') === 'document'
  );
}

function foreign(because: string): ProblemError {
  return new ProblemError(
    'forbidden_origin',
    `the request comes from a page of another site (${because}); this server only answers its own page, and programs with its token`,
  );
}
