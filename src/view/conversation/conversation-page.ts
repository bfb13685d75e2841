import type { z } from 'zod';
import type { ConversationEntry } from '../../handlers/conversation-entry.js';
import { conversationFileName } from '../../run-directory/conversation-file.js';
import { findVisit } from '../find-visit.js';
import { readConfined } from '../read-confined.js';
import type { ReadHistory } from '../run-history.js';
import type { VisitName } from '../values-of-visit.js';
import { visitDirectory } from '../visit-directory.js';
import type { conversationPageSchema } from './conversation-page-schema.js';
import { readEntries } from './read-entries.js';

/** Part of the conversation of a visit with its model or agent (SEMANTICS 123), as a server sends it. */
export type ConversationPage = Omit<z.infer<typeof conversationPageSchema>, 'entries'> & {
  readonly entries: readonly ConversationEntry[];
};

export interface ConversationPlace extends VisitName {
  /** Byte of the file at which the page begins: 0, or the `next` of the page before. */
  readonly after: number;
  /** Maximum number of entries. */
  readonly limit: number;
}

/** Page, or the reason why there is none: `missing` for an unknown stage or visit, `out_of_range` for a place where no entry begins. */
export type FoundConversation =
  | { readonly kind: 'found'; readonly page: ConversationPage }
  | { readonly kind: 'missing' | 'out_of_range'; readonly message: string };

/** Maximum size in bytes of an entry for a client: no backend writes one that is nearly as long. */
const longestEntry = 16 * 1024 * 1024;
const lineBreak = 0x0a;

/**
 * Reads a page of the conversation of a visit for an untrusted client; no link leads out of the run.
 * @returns an empty page if the visit has no conversation, or none yet
 * @throws RunError where the run cannot be read
 */
export function conversationPage(
  directory: string,
  { after, limit, ...name }: ConversationPlace,
  read?: ReadHistory,
): FoundConversation {
  const visit = findVisit(directory, name, read);
  if (typeof visit === 'string') return { kind: 'missing', message: visit };
  const { entries, next, size, hasMore, damaged, refused } = readEntries(directory, visit, after, {
    limit,
    longest: longestEntry,
  });
  if (refused !== undefined) return { kind: 'missing', message: refused };
  if (after > size || !isStart(directory, visitDirectory(visit), after))
    return { kind: 'out_of_range', message: outOfRange(after, size) };
  return {
    kind: 'found',
    page: { visit: visit.visit, entries, next, size, has_more: hasMore, damaged },
  };
}

/** True if an entry begins at the byte, or would. */
function isStart(directory: string, place: string, after: number): boolean {
  if (after === 0) return true;
  const file = readConfined(directory, place, conversationFileName, { from: after - 1, limit: 1 });
  return file.kind === 'found' && file.data[0] === lineBreak;
}

function outOfRange(after: number, size: number): string {
  const why = after > size ? `it has ${size} bytes` : 'no entry begins there';
  return `the conversation has no page after byte ${after}: ${why}; begin with 0, and continue with "next" of each page`;
}
