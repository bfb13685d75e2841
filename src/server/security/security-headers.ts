import type { Context, MiddlewareHandler } from 'hono';
import { lockedStyle } from './locked-page.js';

/**
 * Content policies by the kind of the answer (§9.5). Only the page runs a script of ours, and texts of
 * models and authors never reach a browser as a page of this server.
 */
const contentPolicies = {
  /** Data, with which a browser may do nothing. */
  data: "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox",
  /** The page: files of this server only, none of them written into the page itself. */
  page: [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  /** A script: the browser asks its policy only where it runs as a worker, which talks to this server alone. */
  script: "default-src 'none'; script-src 'self'; connect-src 'self'",
  /** Form for the token: only its style, and sent only to this server. */
  locked: `default-src 'none'; style-src ${lockedStyle}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  /** A picture by itself: it has its colours in it, and nothing that runs. */
  picture: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  /** A report has its script in it; it runs as of no site, so that the cookie of this server is nothing to it. */
  report: [
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    'sandbox allow-scripts',
  ].join('; '),
} as const;

/** Headers of every answer, unless it sets others. */
const headers = Object.entries(usualHeaders('no-store'));

/** Marks answers that were made with the usual headers: to look through them would take longer than all the rest. */
const hasUsualHeaders = Symbol('has the usual headers');

type Answer = Response & { [hasUsualHeaders]?: true };

/** Sets the headers of every response; a route may override them. */
export const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  const answer: Answer = c.res;
  if (answer[hasUsualHeaders]) return;
  for (const [name, value] of headers) if (!answer.headers.has(name)) answer.headers.set(name, value);
};

/**
 * Answer with plain data and all its headers, for frequent requests; headers set by `Context.header` are
 * not in it.
 */
export function usualAnswer(body: string, type: string, caching: string, etag: string): Response {
  const own = usualHeaders(caching);
  own['content-type'] = type;
  own.etag = etag;
  const answer: Answer = new Response(body, { headers: own });
  answer[hasUsualHeaders] = true;
  return answer;
}

/** Made again each time, because a copy of names like these takes a hundred times as long. */
function usualHeaders(caching: string): Record<string, string> {
  return {
    'content-security-policy': contentPolicies.data,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': caching,
  };
}

/** Sets the policy of an answer that is not plain data. */
export function setContentPolicy(c: Context, kind: keyof typeof contentPolicies): void {
  c.header('Content-Security-Policy', contentPolicies[kind]);
}
