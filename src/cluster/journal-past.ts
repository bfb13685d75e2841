import { deserialize, serialize } from 'node:v8';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Program } from '../graph/program.js';
import { messageOf } from '../handlers/error-category.js';
import { journalText } from '../journal/journal.js';
import type { RunEvent } from '../machine/event.js';
import { JournalFold, type JournalFoldData } from '../run/journal-fold.js';
import { linkOf } from '../run-directory/hashed-line.js';
import { type Content, contentOf, type FileStore, hashOf } from './files/file-store.js';

type Reader = Pick<FileStore, 'get'>;

/** Beginning of the journal of a run, of which the events are not in memory. Plain data. */
export interface JournalPast {
  /** Hashes of its parts in the store, in order; each is text, compressed. */
  readonly parts: readonly string[];
  /** Hash of its last line; empty without any. */
  readonly hash: string;
  /** Fold of the first parts, so that a worker that takes the run over need not read them. */
  readonly fold?: StoredFold | undefined;
}

interface StoredFold {
  readonly sha256: string;
  /** Number of the parts of which it is. */
  readonly parts: number;
}

export const noPast: JournalPast = { parts: [], hash: '' };

interface JournalParts {
  readonly past: JournalPast;
  readonly events: readonly RunEvent[];
}

/**
 * A past with the events that follow it, and the part to store.
 * @param folded fold of them all, which is stored too
 */
export function longerPast(
  { past, events }: JournalParts,
  folded?: Content,
): { readonly past: JournalPast; readonly part: Content } {
  const { text, hash } = journalText(events, past.hash);
  const part = contentOf(gzipSync(text));
  const parts = [...past.parts, part.sha256];
  const fold = folded === undefined ? past.fold : { sha256: folded.sha256, parts: parts.length };
  return { past: { parts, hash, fold }, part };
}

/** What a driver continues from. */
export interface JournalSoFar {
  readonly fold: JournalFoldData | undefined;
  /** Events after it. */
  readonly events: readonly RunEvent[];
}

/**
 * Latest fold of a journal, and the events after it: they need no more than the journal since the last segment, if that could be folded.
 * @throws Error if a part cannot be had
 */
export async function journalSoFar({ past, events }: JournalParts, store: Reader): Promise<JournalSoFar> {
  // Before anything is awaited: the events may become more.
  const latest = [...events];
  const { fold, parts } = past;
  const data = fold && (deserialize(await contentAt(fold.sha256, store)) as JournalFoldData);
  const between: RunEvent[] = [];
  for (const sha256 of parts.slice(fold?.parts ?? 0)) {
    const lines = (await contentAt(sha256, store)).toString('utf8').split('\n');
    for (const line of lines) if (line !== '') between.push(JSON.parse(linkOf(line).text));
  }
  return { fold: data, events: between.length === 0 ? latest : [...between, ...latest] };
}

/**
 * Folds a journal up to now.
 * @returns the fold to store
 * @throws Error if an earlier part cannot be had, or does not fit the program
 */
export async function foldedJournal(
  journal: JournalParts,
  program: Program,
  store: Reader,
): Promise<Content> {
  const { fold: before, events } = await journalSoFar(journal, store);
  const fold = new JournalFold(program, before);
  fold.add(events, (event, error) => {
    throw new Error(`event ${event.seq} does not fit: ${messageOf(error)}`);
  });
  return contentOf(gzipSync(serialize(fold.data)));
}

/**
 * Text of a whole journal, in pieces that are read when they are wanted, the last of them the events as they are at the call. The result
 * of the iteration is the hash of the last line.
 * @throws Error if a part of the past cannot be had
 */
export function wholeJournal({ past, events }: JournalParts, store: Reader): AsyncGenerator<string, string> {
  const { text, hash } = journalText(events, past.hash);
  return (async function* () {
    for (const sha256 of past.parts) yield (await contentAt(sha256, store)).toString('utf8');
    yield text;
    return hash;
  })();
}

async function contentAt(sha256: string, store: Reader): Promise<Buffer> {
  const bytes = (await store.get([sha256])).get(sha256);
  if (bytes === undefined || hashOf(bytes) !== sha256)
    throw new Error(`a part of the journal, ${sha256}, is not in the store`);
  return gunzipSync(bytes);
}
