import { createHash } from 'node:crypto';

/**
 * Port to the place where the files of one run outlive its workers (SEMANTICS 142), by the hash of their content. What is there is never
 * changed, so that workers may store the same content at the same time.
 */
export interface FileStore {
  /** Stores contents, unless they are there already. @returns when they are durable */
  put(contents: readonly Content[]): Promise<void>;
  /** @returns the content for each hash that is there */
  get(hashes: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
}

export interface Content {
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** Content with its hash. */
export function contentOf(bytes: Uint8Array): Content {
  return { sha256: hashOf(bytes), bytes };
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Bytes above which a file is not stored. */
export const largestFile = 64 * 2 ** 20;

/** Bytes of contents that are stored or read in one call, unless one alone has more. */
export const storedTogether = 4 * 2 ** 20;
