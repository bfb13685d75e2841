import type { ConversationEntry } from '../../handlers/conversation-entry.js';
import {
  conversationFileName,
  entryOfLine,
  largestConversation,
} from '../../run-directory/conversation-file.js';
import type { VisitRecord } from '../fold/visit-record.js';
import { readConfined } from '../read-confined.js';
import { visitDirectory } from '../visit-directory.js';

/** Part of a conversation. */
export interface EntryPage {
  readonly entries: readonly ConversationEntry[];
  /** Byte after the last entry. */
  readonly next: number;
  /** True if the file had more complete entries after it. */
  readonly hasMore: boolean;
  /** Number of lines that are damaged and left out. */
  readonly damaged: number;
}

/** Bytes of the file that are looked at, unless one entry alone is longer. */
const pageBytes = 1024 * 1024;
const lineBreak = 0x0a;

/**
 * Reads entries of the conversation of a visit (SEMANTICS 123); no link leads out of the run.
 * @param from byte of the file at which the first entry begins: 0, or the `next` of an earlier reading
 * @returns an empty page if there is no conversation
 */
export function readEntries(
  directory: string,
  visit: Pick<VisitRecord, 'place' | 'archivedAs'>,
  from: number,
): EntryPage {
  for (let limit = pageBytes; ; limit *= 4) {
    const file = readConfined(directory, visitDirectory(visit), conversationFileName, { from, limit });
    if (file.kind !== 'found') return { entries: [], next: from, hasMore: false, damaged: 0 };
    const isAll = from + file.data.length >= file.size;
    const page = pageOf(file.data, from);
    if (page.next > from || isAll) return { ...page, hasMore: !isAll };
    // One line is longer than a page, but none is longer than a whole file may be.
    if (limit >= largestConversation) return { ...page, hasMore: false, damaged: 1 };
  }
}

function pageOf(data: Uint8Array, from: number): Omit<EntryPage, 'hasMore'> {
  const entries: ConversationEntry[] = [];
  let start = 0;
  let damaged = 0;
  for (let end = data.indexOf(lineBreak); end !== -1; end = data.indexOf(lineBreak, start)) {
    const entry = entryOfLine(data.subarray(start, end));
    start = end + 1;
    if (typeof entry === 'string') damaged += 1;
    else entries.push(entry);
  }
  return { entries, next: from + start, damaged };
}
