import { hash as digestOf } from 'node:crypto';

/** The hash of a line: SHA-256 over the hash of the line before, or nothing before the first, and the event as JSON. */
export function hashAfter(previous: string, text: string): string {
  return digestOf('sha256', previous + text);
}
