import type { JsonValue } from '../../graph/json.js';
import { isRecord } from '../../graph/json.js';
import type { ConversationEntry } from '../../handlers/conversation-entry.js';
import { firstCharacters } from '../../run-directory/artifact-reference.js';
import {
  conversationFileName,
  entryOfLine,
  largestConversation,
} from '../../run-directory/conversation-file.js';
import type { VisitRecord } from '../fold/visit-record.js';
import { readConfined } from '../read-confined.js';
import { visitDirectory } from '../visit-directory.js';

export interface EntryRange {
  /** Byte of the file at which the first entry begins; 0, or the `next` of an earlier reading. */
  readonly from?: number | undefined;
  /** Maximum of entries. */
  readonly limit?: number;
  /** Maximum of bytes of the file that are looked at, unless one entry alone is longer. */
  readonly bytes?: number;
  /** Maximum of characters of a text; a longer one is cut, with a mark. */
  readonly textLength?: number;
}

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

const nothing: EntryPage = { entries: [], next: 0, hasMore: false, damaged: 0 };
const usualBytes = 1024 * 1024;
const lineBreak = 0x0a;
/** Length of an edit, as a multiple of that of a text. */
const editLengths = 8;

/**
 * Reads entries of the conversation of a visit (SEMANTICS 123), for an untrusted client too: no link leads out of the run.
 * @returns an empty page if there is no conversation
 */
export function readEntries(
  directory: string,
  visit: Pick<VisitRecord, 'place' | 'archivedAs'>,
  range: EntryRange = {},
): EntryPage {
  const { from = 0, bytes = usualBytes, limit = Number.MAX_SAFE_INTEGER } = range;
  for (let length = bytes; ; length *= 4) {
    const file = readConfined(directory, visitDirectory(visit), conversationFileName, {
      from,
      limit: length,
    });
    if (file.kind !== 'found') return nothing;
    const isAll = from + file.data.length >= file.size;
    const page = pageOf(file.data, from, limit, range.textLength);
    // One line may be longer than a page.
    const isTooShort = page.next === from && !isAll && length < largestConversation;
    if (!isTooShort) return { ...page, hasMore: page.hasMore || !isAll };
  }
}

function pageOf(data: Uint8Array, from: number, limit: number, textLength: number | undefined): EntryPage {
  const entries: ConversationEntry[] = [];
  let start = 0;
  let damaged = 0;
  for (let end = data.indexOf(lineBreak); end !== -1; end = data.indexOf(lineBreak, start)) {
    if (entries.length >= limit) return { entries, next: from + start, hasMore: true, damaged };
    const entry = entryOfLine(data.subarray(start, end));
    start = end + 1;
    if (typeof entry === 'string') damaged += 1;
    else entries.push(textLength === undefined ? entry : shortEntry(entry, textLength));
  }
  return { entries, next: from + start, hasMore: false, damaged };
}

/** Entry with the beginnings of its long texts; a part of an edit would be another edit, so a long one is left out. */
function shortEntry(entry: ConversationEntry, length: number): ConversationEntry {
  const shortened = short(entry as unknown as JsonValue, length) as unknown as ConversationEntry;
  if (entry.kind !== 'tool_result' || entry.edits === undefined) return shortened;
  const edits = entry.edits.filter(
    ({ before, after }) => (before?.length ?? 0) + after.length <= length * editLengths,
  );
  return { ...shortened, edits } as ConversationEntry;
}

function short(value: JsonValue, length: number): JsonValue {
  if (typeof value === 'string') {
    const kept = value.length > length ? firstCharacters(value, length) : value;
    return kept.length === value.length
      ? value
      : `${kept}\n[… ${value.length - kept.length} characters left out …]`;
  }
  if (Array.isArray(value)) return value.map((one) => short(one, length));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, short(one as JsonValue, length)]),
  );
}
