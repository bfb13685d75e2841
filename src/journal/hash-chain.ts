import { hash as digestOf } from 'node:crypto';

const prefix = ',"hash":"';
const digits = 64;
const suffix = '"}';
const linkLength = prefix.length + digits + suffix.length;

/** A line of a journal without its hash, and the hash that it has. */
export interface Link {
  /** The event as JSON. */
  readonly text: string;
  /** 64 hexadecimal digits; undefined in journals of versions that wrote none. */
  readonly hash: string | undefined;
}

/** The hash of a line: SHA-256 over the hash of the line before, or nothing before the first, and the event as JSON. */
export function hashAfter(previous: string, text: string): string {
  return digestOf('sha256', previous + text);
}

/** An event as JSON with its hash as the last member. */
export function linked(text: string, hash: string): string {
  return `${text.slice(0, -1)}${prefix}${hash}${suffix}`;
}

/** Splits a line into event and hash. */
export function linkOf(line: string): Link {
  const start = line.length - linkLength;
  if (!line.startsWith(prefix, start) || !line.endsWith(suffix)) return { text: line, hash: undefined };
  return {
    text: `${line.slice(0, start)}}`,
    hash: line.slice(start + prefix.length, -suffix.length),
  };
}
