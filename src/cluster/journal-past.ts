import { gunzipSync, gzipSync } from 'node:zlib';
import { journalText } from '../journal/journal.js';
import type { RunEvent } from '../machine/event.js';
import { type Content, contentOf, type FileStore, hashOf } from './files/file-store.js';

/** Beginning of the journal of a run, of which the events are not in memory. Plain data. */
export interface JournalPast {
  /** Hashes of its parts in the store, in order; each is text, compressed. */
  readonly parts: readonly string[];
  /** Hash of its last line; empty without any. */
  readonly hash: string;
}

export const noPast: JournalPast = { parts: [], hash: '' };

/** A past with the events that follow it, and the part to store. */
export function longerPast(
  { parts, hash: before }: JournalPast,
  events: readonly RunEvent[],
): { readonly past: JournalPast; readonly part: Content } {
  const { text, hash } = journalText(events, before);
  const part = contentOf(gzipSync(text));
  return { past: { parts: [...parts, part.sha256], hash }, part };
}

/**
 * Text of a whole journal, in pieces, and the hash of its last line.
 * @throws Error if a part of the past cannot be had
 */
export async function wholeJournal(
  { past, events }: { readonly past: JournalPast; readonly events: readonly RunEvent[] },
  store: Pick<FileStore, 'get'>,
): Promise<{ readonly pieces: Iterable<string>; readonly hash: string }> {
  // Before anything is awaited: the events may become more.
  const { text, hash } = journalText(events, past.hash);
  if (past.parts.length === 0) return { pieces: [text], hash };
  const contents = await store.get(past.parts);
  const parts = past.parts.map((sha256) => {
    const bytes = contents.get(sha256);
    if (bytes === undefined || hashOf(bytes) !== sha256)
      throw new Error(`a part of the journal, ${sha256}, is not in the store`);
    return bytes;
  });
  return { pieces: joined(parts, text), hash };
}

function* joined(parts: readonly Uint8Array[], text: string): Iterable<string> {
  for (const part of parts) yield gunzipSync(part).toString('utf8');
  yield text;
}
