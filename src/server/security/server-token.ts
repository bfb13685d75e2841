import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

const bytesOfToken = 32;

/** A new token: nobody guesses 256 bits. */
export function newToken(): string {
  return randomBytes(bytesOfToken).toString('base64url');
}

/** Whether a text is written as a token is. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Whether a text is the secret one, found out in a time that says nothing about where the two differ. */
export function comparison(secret: string): (text: string) => boolean {
  const expected = digest(secret);
  return (text) => timingSafeEqual(digest(text), expected);
}

/** What a browser keeps in the place of the token: it opens this server as well, but is not what the link and the file have. */
export function cookieValueOf(token: string): string {
  return createHmac('sha256', token).update('attractor page').digest('base64url');
}

/** Cookies do not know ports: servers next to this one on the machine have other names for theirs. */
export function cookieNameOf(port: number): string {
  return `attractor-${port}`;
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
