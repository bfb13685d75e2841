import type { EarlierConversation, RetryReason } from '../../handlers/conversation.js';
import type { ConversationEntry, EntryOf } from '../../handlers/conversation-entry.js';

/** Attempt whose conversation is looked for. */
export interface VisitNames {
  readonly runId: string;
  readonly nodeId: string;
  readonly visit: number;
  readonly attempt: number;
}

/** Entries that earlier attempts of a visit, or earlier processes, have left (SEMANTICS 123). */
export interface VisitEntries {
  /** Latest conversation; undefined if there is none. */
  readonly conversation: EarlierConversation | undefined;
  /** Number of the attempt that was last at work on it. */
  readonly lastAttempt: number;
  /** Answer of that attempt. */
  readonly answered: EntryOf<'answered'> | undefined;
  /** Reason of the last answer before this conversation that led to another attempt. */
  readonly retriedBefore: RetryReason | undefined;
  /** The same for its own answer. */
  readonly retried: RetryReason | undefined;
}

interface VisitDraft {
  begun: EntryOf<'begun'> | undefined;
  entries: ConversationEntry[];
  lastAttempt: number;
  answered: EntryOf<'answered'> | undefined;
  retriedBefore: RetryReason | undefined;
  retried: RetryReason | undefined;
}

/** Finds the latest conversation of a visit among the entries of a file, which may also be from another visit or another run. */
export function visitEntries(entries: readonly ConversationEntry[], names: VisitNames): VisitEntries {
  const found: VisitDraft = { ...nothing, entries: [] };
  let isOurs = false;
  for (const entry of entries) {
    if (entry.kind === 'begun') {
      isOurs = isOf(entry, names) && (!entry.continues || found.begun !== undefined);
      if (isOurs) attemptBegins(found, entry);
    } else if (isOurs) note(found, entry);
  }
  const { begun, entries: own, ...rest } = found;
  return { ...rest, conversation: begun && { begun, entries: own } };
}

const nothing = {
  begun: undefined,
  lastAttempt: 0,
  answered: undefined,
  retriedBefore: undefined,
  retried: undefined,
} satisfies Omit<VisitDraft, 'entries'>;

function isOf(entry: EntryOf<'begun'>, { runId, nodeId, visit, attempt }: VisitNames): boolean {
  const isOfVisit = entry.run_id === runId && entry.node_id === nodeId && entry.visit === visit;
  return isOfVisit && entry.attempt <= attempt;
}

function attemptBegins(found: VisitDraft, entry: EntryOf<'begun'>): void {
  found.lastAttempt = entry.attempt;
  found.answered = undefined;
  if (entry.continues) return void found.entries.push(entry);
  found.begun = entry;
  found.entries = [];
  found.retriedBefore = found.retried ?? found.retriedBefore;
  found.retried = undefined;
}

function note(found: VisitDraft, entry: Exclude<ConversationEntry, { readonly kind: 'begun' }>): void {
  found.entries.push(entry);
  if (entry.kind === 'answered') found.answered = entry;
  if (entry.kind === 'retried') found.retried = { attempt: found.lastAttempt, reason: entry.reason };
}
