import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

const bytesOfToken = 32;

/** New token of 256 bits, which cannot be guessed. */
export function newToken(): string {
  return randomBytes(bytesOfToken).toString('base64url');
}

/** True for a text in the form of a token. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Returns a comparison with a secret in constant time. */
export function comparison(secret: string): (text: string) => boolean {
  const expected = digest(secret);
  return (text) => timingSafeEqual(digest(text), expected);
}

/**
 * Cookie in place of the token: it opens this server as well, but differs from the token in the link and
 * the file.
 */
export function cookieValueOf(token: string): string {
  return createHmac('sha256', token).update('attractor page').digest('base64url');
}

/** Fingerprint of a token, which is also that of its cookie: who has it can make neither. */
export function fingerprintOf(token: string): string {
  return fingerprintOfCookie(cookieValueOf(token));
}

/** Fingerprint of the token from which a cookie was made. */
export function fingerprintOfCookie(value: string): string {
  return hash('sha256', value, 'base64url');
}

/** Cookies do not know ports: servers next to this one on the machine have other names for theirs. */
export function cookieNameOf(port: number): string {
  return `attractor-${port}`;
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
