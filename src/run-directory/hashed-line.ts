import { sha256 } from './sha256.js';

const prefix = ',"hash":"';
const digits = 64;
const suffix = '"}';
const linkLength = prefix.length + digits + suffix.length;

/** A line of a journal, or of a conversation, without its hash, and the hash that it has. */
export interface Link {
  /** The event or entry as JSON. */
  readonly text: string;
  /** 64 hexadecimal digits; undefined in files of versions that wrote none. */
  readonly hash: string | undefined;
}

/** A text as JSON with the hash of it alone: whatever changes a bit of it is noticed, except in the name of the hash. */
export function sealed(json: string): string {
  return linked(json, sha256(json));
}

/** Text under its hash; undefined if it is not as it was written. A text without a hash, as older versions wrote it, is as it is. */
export function unsealed(line: string): string | undefined {
  const { text, hash } = linkOf(line);
  return hash === undefined || hash === sha256(text) ? text : undefined;
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
