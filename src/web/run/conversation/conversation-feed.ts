import { signal } from '@preact/signals';
import type { ConversationPage } from '../../../view/conversation/conversation-page.js';
import { ConversationReader, type ConversationStep } from '../../../view/conversation/conversation-steps.js';
import { ApiError, type Failure, failureOf } from '../../api/failure.js';

/** Loads the page of a conversation that begins at a byte. */
export type LoadPage = (after: number, signal: AbortSignal) => Promise<ConversationPage>;

/**
 * Entries of the conversation of a visit that the server has sent so far, each read once. Components that read `version` are rendered again when
 * there is more.
 */
export class ConversationFeed {
  readonly version = signal(0);
  readonly #load: LoadPage;
  #reader = new ConversationReader();
  #next = 0;
  #isLoading = false;
  #isAskedAgain = false;
  /** Bytes of the conversation. */
  size = 0;
  damaged = 0;
  /** True as soon as everything that the server had is here. */
  isWhole = false;
  failure: Failure | undefined;

  constructor(load: LoadPage) {
    this.#load = load;
  }

  get steps(): readonly ConversationStep[] {
    return this.#reader.steps;
  }

  /** Bytes that have been read. */
  get read(): number {
    return this.#next;
  }

  /** Reads what has come since; while it does, a second call makes it read again after that. */
  async update(signal: AbortSignal): Promise<void> {
    if (this.#isLoading) {
      this.#isAskedAgain = true;
      return;
    }
    this.#isLoading = true;
    try {
      do {
        this.#isAskedAgain = false;
        await this.#readAll(signal);
      } while (this.#isAskedAgain && !signal.aborted);
      this.failure = undefined;
      this.isWhole = true;
    } catch (error) {
      if (!signal.aborted) this.failure = failureOf(error);
    } finally {
      this.#isLoading = false;
      if (!signal.aborted) this.version.value += 1;
    }
  }

  async #readAll(signal: AbortSignal): Promise<void> {
    for (let hasMore = true; hasMore && !signal.aborted; ) {
      const page = await this.#page(signal);
      if (signal.aborted) return;
      for (const entry of page.entries) this.#reader.read(entry);
      this.#next = page.next;
      this.size = page.size;
      this.damaged += page.damaged;
      hasMore = page.has_more;
      if (page.entries.length > 0) this.version.value += 1;
    }
  }

  /** Page after those that are here; the first one if the file has been replaced meanwhile by a shorter one. */
  async #page(signal: AbortSignal): Promise<ConversationPage> {
    try {
      return await this.#load(this.#next, signal);
    } catch (error) {
      if (this.#next === 0 || !isOutOfRange(error)) throw error;
      this.#reader = new ConversationReader();
      this.#next = 0;
      this.damaged = 0;
      return this.#load(0, signal);
    }
  }
}

function isOutOfRange(error: unknown): boolean {
  return error instanceof ApiError && error.failure.kind === 'refused' && error.failure.status === 400;
}
