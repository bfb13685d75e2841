import type { ConversationEntry } from '../handlers/conversation-entry.js';
import { describeIssues } from '../handlers/describe-issues.js';
import { conversationEntry } from './conversation-schema.js';
import { unsealed } from './hashed-line.js';

/** File with the conversation of a visit, in the directory of its stage (SEMANTICS 123). */
export const conversationFileName = 'conversation.jsonl';

/** Maximum size in bytes: of a larger file nothing is read, and none becomes larger. */
export const largestConversation = 256 * 1024 * 1024;

export interface ConversationReading {
  /** Entries up to the first damage. */
  readonly entries: readonly ConversationEntry[];
  /** Their size in bytes. */
  readonly size: number;
  /** Description of the damage; a last line without an end, which a crash leaves, does not count. */
  readonly problem: string | undefined;
}

/** Reads the lines of a conversation; never throws. */
export function readConversation(bytes: Uint8Array): ConversationReading {
  const entries: ConversationEntry[] = [];
  let start = 0;
  for (let end = bytes.indexOf(lineBreak); end !== -1; end = bytes.indexOf(lineBreak, start)) {
    const reading = entryOfLine(bytes.subarray(start, end));
    if (typeof reading === 'string')
      return { entries, size: start, problem: `line ${entries.length + 1}: ${reading}` };
    entries.push(reading);
    start = end + 1;
  }
  return { entries, size: start, problem: undefined };
}

const lineBreak = 0x0a;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads a line of a conversation, without its line break. @returns the entry, or the problem of the line */
export function entryOfLine(bytes: Uint8Array): ConversationEntry | string {
  let value: unknown;
  try {
    const text = unsealed(decoder.decode(bytes));
    if (text === undefined) return 'it was changed after it was written: its hash does not fit';
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON in UTF-8';
  }
  const read = conversationEntry.safeParse(value);
  return read.success ? read.data : describeIssues(read.error, value);
}
