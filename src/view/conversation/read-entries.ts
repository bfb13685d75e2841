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
  /** Bytes of the file so far. */
  readonly size: number;
  /** True if the file had more complete entries after it. */
  readonly hasMore: boolean;
  /** Number of lines that are damaged, or longer than an entry may be, and left out. */
  readonly damaged: number;
  /** Reason why the file is not read, although there is one. */
  readonly refused?: string | undefined;
}

export interface EntryPageOptions {
  /** Maximum number of entries. */
  readonly limit?: number;
  /** Maximum size in bytes of a line; a longer one is skipped. */
  readonly longest?: number;
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
  { limit: most = Number.POSITIVE_INFINITY, longest = largestConversation }: EntryPageOptions = {},
): EntryPage {
  const read = (start: number, limit: number) =>
    readConfined(directory, visitDirectory(visit), conversationFileName, { from: start, limit });
  for (let limit = Math.min(pageBytes, longest); ; limit = Math.min(limit * 4, longest)) {
    const file = read(from, limit);
    if (file.kind !== 'found') {
      const refused = file.kind === 'refused' ? file.message : undefined;
      return { entries: [], next: from, size: 0, hasMore: false, damaged: 0, refused };
    }
    const { size, data } = file;
    const isAll = from + data.length >= size;
    const page = pageOf(data, from, most);
    if (page.next > from || isAll) return { ...page, size, hasMore: page.isFull || !isAll };
    if (limit < longest) continue;
    // Where the line ends, the next entry begins; its end may not be written yet.
    const next = afterLine(read, from + data.length);
    return { entries: [], next: next ?? from, size, hasMore: next !== undefined && next < size, damaged: 1 };
  }
}

/** Byte after the next line break; undefined if there is none. */
function afterLine(
  read: (from: number, limit: number) => ReturnType<typeof readConfined>,
  from: number,
): number | undefined {
  for (let start = from; ; start += pageBytes) {
    const file = read(start, pageBytes);
    if (file.kind !== 'found' || file.data.length === 0) return undefined;
    const end = file.data.indexOf(lineBreak);
    if (end !== -1) return start + end + 1;
  }
}

function pageOf(
  data: Uint8Array,
  from: number,
  most: number,
): Pick<EntryPage, 'entries' | 'next' | 'damaged'> & { readonly isFull: boolean } {
  const entries: ConversationEntry[] = [];
  let start = 0;
  let damaged = 0;
  for (let end = data.indexOf(lineBreak); end !== -1; end = data.indexOf(lineBreak, start)) {
    if (entries.length >= most) return { entries, next: from + start, damaged, isFull: true };
    const entry = entryOfLine(data.subarray(start, end));
    start = end + 1;
    if (typeof entry === 'string') damaged += 1;
    else entries.push(entry);
  }
  return { entries, next: from + start, damaged, isFull: false };
}
