import type { Progress } from '../machine/progress.js';
import type { ConversationEntry, EntryOf, NewConversationEntry } from './conversation-entry.js';

/** Conversation about one visit of a stage, kept turn by turn in `conversation.jsonl` (SEMANTICS 123). */
export interface VisitConversation {
  /** Answer that this very attempt has given before its process ended; its prompt was the same. */
  readonly answer: EntryOf<'answered'> | undefined;
  /** Reason why an attempt that answered was not the last one; this conversation begins after it. */
  readonly retryReason: RetryReason | undefined;
  /** Conversation for the backend. @param prompt gives the whole prompt, with which a new conversation begins */
  forBackend(prompt: () => string): BackendConversation;
  /** Records progress, unless the backend records its turns itself. */
  progressed(progress: Progress): void;
  /** Records what the backend has returned. */
  answered(result: unknown): void;
  /** Writes what is held back. */
  flush(): void;
}

export interface RetryReason {
  readonly attempt: number;
  /** Undefined if it is not known any more. */
  readonly reason: string | undefined;
}

/** Conversation of a visit, for its backend. */
export interface BackendConversation {
  /**
   * Conversation that an earlier attempt has left without an answer, from its beginning; undefined if there is none, or if the
   * stage has another prompt now.
   */
  readonly earlier: EarlierConversation | undefined;
  /** True if the files of the stage are put back to the last completed call when a conversation continues. */
  readonly keepsFiles: boolean;
  /**
   * Begins a conversation, or continues the earlier one. Call it before anything else.
   * @returns when the files of the stage are as they were before its first attempt, if a new conversation begins
   */
  begin(about: ConversationAbout): Promise<void>;
  /** Appends an entry; it is on the disk afterwards, and so is all progress that was reported before. */
  add(entry: NewConversationEntry): void;
  /**
   * Resolves when the entries so far survive this machine, in a run that may continue on another one. Call it before what costs money
   * or must not happen twice.
   */
  kept(): Promise<void>;
  /**
   * Commits the files of the stage as they are now, outside of its branch.
   * @returns the commit; null if that is not possible; undefined in a run without git
   */
  snapshot(): Promise<string | null | undefined>;
}

export interface ConversationAbout {
  readonly backend: string;
  readonly model?: string | undefined;
  readonly thread?: string | undefined;
  readonly continues: boolean;
  /** True if the backend records its turns by `add`, false if they come from its progress. */
  readonly recordsTurns: boolean;
}

export interface EarlierConversation {
  /** First entry: backend, model and thread. */
  readonly begun: EntryOf<'begun'>;
  /** Entries after it, of all attempts that continued it. */
  readonly entries: readonly ConversationEntry[];
}
