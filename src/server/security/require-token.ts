import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { ProblemError } from '../problem-error.js';
import { comesFromPage, isSafeMethod } from './check-origin.js';
import { clientAddress } from './client-address.js';
import type { Guard } from './guard.js';
import { wrongTokens } from './limits.js';
import { lockedPage, wantsPage } from './locked-page.js';
import type { NamedTokenLookup } from './named-token-lookup.js';
import { setContentPolicy } from './security-headers.js';
import {
  comparison,
  cookieNameOf,
  cookieValueOf,
  fingerprintOf,
  fingerprintOfCookie,
  isToken,
} from './server-token.js';
import { TokenBuckets } from './token-bucket.js';

export interface TokenOptions {
  readonly token: string;
  /** Tokens that were added to it. */
  readonly named?: NamedTokenLookup;
  /** On which the server listens, known when it does. */
  readonly port: () => number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

/** Paths that need no token. */
const openPaths: ReadonlySet<string> = new Set(['/health']);

/** Reads who sends a request. */
export interface Authentication {
  identify(c: Context): Identity;
}

/** Sender of a request: without a token, with a wrong one, or with a right one, given in one of three ways. */
export type Sender = 'nobody' | 'wrong' | 'bearer' | 'link' | 'cookie';

/** Sender of a request, and the name of the token where it has one. */
export interface Identity {
  readonly sender: Sender;
  readonly name?: string;
  /** Cookie of a browser that came by the link. */
  readonly cookie?: string;
  /** False after the token was revoked, which can happen while an answer is being sent. */
  readonly isStillGood: () => boolean;
}

const identities = new WeakMap<Context, Identity>();

/** True unless the token that came with a request has been revoked since. */
export function isStillAllowed(c: Context): boolean {
  return identities.get(c)?.isStillGood() ?? true;
}

/** Name of the token that came with a request; undefined without one, and for the token of the server. */
export function tokenNameOf(c: Context): string | undefined {
  return identities.get(c)?.name;
}

export function authentication({
  token,
  named,
  port,
}: Pick<TokenOptions, 'token' | 'named' | 'port'>): Authentication {
  const isOwnToken = comparison(token);
  const isOwnCookie = comparison(cookieValueOf(token));
  const read = (c: Context): Identity => {
    const given = credentialsOf(c, cookieNameOf(port()));
    if (given.kind === 'none') return { sender: 'nobody', isStillGood: () => false };
    const { kind, text } = given;
    const cookie = kind === 'link' ? cookieValueOf(text) : undefined;
    const isOwn = kind === 'cookie' ? isOwnCookie(text) : isOwnToken(text);
    if (isOwn) return { sender: kind, cookie, isStillGood: () => true };
    // Cookies are as long as tokens.
    if (named !== undefined && isToken(text)) {
      const fingerprint = kind === 'cookie' ? fingerprintOfCookie(text) : fingerprintOf(text);
      const name = named.find(fingerprint);
      if (name !== undefined)
        return { sender: kind, name, cookie, isStillGood: () => named.has(name, fingerprint) };
    }
    return { sender: 'wrong', isStillGood: () => false };
  };
  return {
    identify(c) {
      const known = identities.get(c);
      if (known !== undefined) return known;
      const identity = read(c);
      identities.set(c, identity);
      return identity;
    },
  };
}

/**
 * Lets pass only who has the token (§9.5): in the header `Authorization: Bearer`, or, once, as `?token=` in the link that the
 * server prints, which leaves a cookie and leads to the address without it.
 */
export function requireToken(
  { named, port, now }: Pick<TokenOptions, 'named' | 'port' | 'now'>,
  { identify }: Authentication,
): Guard {
  const wrong = new TokenBuckets(wrongTokens, now);
  return (c) => {
    if (openPaths.has(c.req.path)) return undefined;
    const { sender, name, cookie = '' } = identify(c);
    if (name !== undefined) named?.noteUse(name);
    switch (sender) {
      case 'nobody':
        return refuse(c, 'it has no token');
      case 'bearer':
        return undefined;
      case 'link':
        return enter(c, cookieNameOf(port()), cookie);
      case 'cookie':
        checkWrite(c);
        return undefined;
      case 'wrong':
        return refuseWrong(c, wrong);
    }
  };
}

function refuseWrong(c: Context, wrong: TokenBuckets): Response {
  const retryAfter = wrong.take(clientAddress(c));
  if (retryAfter === undefined) return refuse(c, 'its token is not one of this server');
  throw new ProblemError('too_many_requests', 'too many wrong tokens were sent from this address', {
    retryAfter,
  });
}

type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer' | 'link' | 'cookie'; readonly text: string };

/** Credentials of a request; explicit ones count before those that a browser sends by itself. */
function credentialsOf(c: Context, cookieName: string): Credentials {
  const header = c.req.header('authorization');
  if (header !== undefined) return { kind: 'bearer', text: /^Bearer +(\S+)$/i.exec(header)?.[1] ?? '' };
  const link = isSafeMethod(c.req.method) ? c.req.query('token') : undefined;
  if (link !== undefined) return { kind: 'link', text: link };
  const cookie = getCookie(c, cookieName);
  return cookie === undefined ? { kind: 'none' } : { kind: 'cookie', text: cookie };
}

/** The token does not stay in the address, from where it would get into the history and into other people's screens. */
function enter(c: Context, name: string, value: string): Response {
  setCookie(c, name, value, { httpOnly: true, sameSite: 'Strict', path: '/' });
  const { pathname, searchParams } = new URL(c.req.url);
  searchParams.delete('token');
  // `//name` would lead to another host.
  const path = `/${pathname.replace(/^[/\\]+/, '')}`;
  const query = searchParams.size === 0 ? '' : `?${searchParams}`;
  return c.redirect(`${path}${query}`, 303);
}

/**
 * Refuses writes by cookie that do not come from the page: a browser sends the cookie for any site, but
 * with its origin.
 */
function checkWrite(c: Context): void {
  if (isSafeMethod(c.req.method) || comesFromPage(c)) return;
  throw new ProblemError(
    'forbidden_origin',
    'a request that changes something has the cookie of the page, but no header that shows it comes from the page; programs send "Authorization: Bearer TOKEN"',
  );
}

/** Refusal in the form for the client: a browser gets a page. */
function refuse(c: Context, because: string): Response {
  c.header('WWW-Authenticate', 'Bearer realm="attractor"');
  if (wantsPage(c)) {
    setContentPolicy(c, 'locked');
    return c.html(lockedPage, 401);
  }
  throw new ProblemError(
    'unauthorized',
    `the request is not allowed: ${because}. Open the link that \`attractor serve\` printed, or send "Authorization: Bearer TOKEN" with the text of the token file`,
  );
}
