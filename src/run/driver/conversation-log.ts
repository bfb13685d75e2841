import type { ConversationEntry, NewConversationEntry } from '../../handlers/conversation-entry.js';
import { byteLength } from '../../run-directory/byte-length.js';
import {
  conversationFileName,
  largestConversation,
  readConversation,
} from '../../run-directory/conversation-file.js';
import { sealed } from '../../run-directory/hashed-line.js';
import type { StageStore } from '../../run-directory/run-store.js';
import { statusFileName } from '../../run-directory/stage-path.js';
import type { Redactor } from '../../secrets/redactor.js';

export interface ConversationLogOptions {
  /** Path of the stage's files, relative to the run directory. */
  readonly path: string;
  readonly nodeId: string;
  readonly store: Pick<StageStore, 'append' | 'setAside' | 'read' | 'readBytes' | 'write'>;
  readonly redactor: Redactor;
  /** Requests of the visit that the journal knows; after one, the file has entries. */
  readonly answeredRequests?: number;
  readonly now: () => number;
  log(level: 'warning', message: string): void;
}

/** `conversation.jsonl` of a stage: its entries up to any damage, without secrets. */
export class ConversationLog {
  readonly #options: ConversationLogOptions;
  #size = 0;
  #isFull = false;
  #isMissing = false;

  constructor(options: ConversationLogOptions) {
    this.#options = options;
  }

  /** Reads its entries, and prepares it for further ones: damage is set aside, with a warning. */
  read(): readonly ConversationEntry[] {
    const { store, path } = this.#options;
    const bytes = store.readBytes(path, conversationFileName, largestConversation);
    if (bytes !== undefined && !(bytes instanceof Uint8Array)) {
      this.#damaged(bytes.problem, new Uint8Array());
      return [];
    }
    this.#isMissing = bytes === undefined || bytes.length === 0;
    if (bytes === undefined) return [];
    const { entries, size, problem } = readConversation(bytes);
    const sound = bytes.subarray(0, size);
    if (problem !== undefined) this.#damaged(`${conversationFileName}, ${problem}`, sound);
    // The end of a line that a crash has torn.
    else if (size < bytes.length) store.write(path, conversationFileName, sound);
    this.#size = size;
    return entries;
  }

  /** Warns if a backend that keeps its conversation has to begin although an earlier attempt began: that one is paid for twice. */
  warnIfMissing(): void {
    const { path, nodeId, answeredRequests = 0, log } = this.#options;
    if (!this.#isMissing || answeredRequests === 0) return;
    const requests = answeredRequests === 1 ? 'one request' : `${answeredRequests} requests`;
    log(
      'warning',
      `the conversation of "${nodeId}" so far, with ${requests} that a model has answered, is gone: ${path}/${conversationFileName} was removed or emptied. The stage begins a new one and pays for these requests again`,
    );
  }

  append(entries: readonly NewConversationEntry[], isDurable: boolean): void {
    if (this.#isFull) return;
    const { store, path, redactor, now } = this.#options;
    const at = new Date(now()).toISOString();
    const text = entries
      .map(({ kind, ...rest }) => `${sealed(redactor.jsonText(JSON.stringify({ kind, at, ...rest })))}\n`)
      .join('');
    this.#size += byteLength(text);
    if (this.#size > largestConversation) return this.#full();
    store.append(path, conversationFileName, text, isDurable);
  }

  /** Status file that is there now. */
  statusFile(): string | undefined {
    const text = this.#options.store.read(this.#options.path, statusFileName);
    return typeof text === 'string' ? text : undefined;
  }

  #damaged(problem: string, sound: Uint8Array): void {
    const { store, path, nodeId, log } = this.#options;
    const left = sound.length === 0 ? 'nothing of it is used' : 'only what precedes the damage is used';
    log(
      'warning',
      `the conversation of "${nodeId}" so far is damaged, so ${left}; the file is kept next to it, as ${conversationFileName}~<n>: ${problem}`,
    );
    store.setAside(path, conversationFileName);
    if (sound.length > 0) store.write(path, conversationFileName, sound);
  }

  #full(): void {
    this.#isFull = true;
    const { nodeId, log } = this.#options;
    log(
      'warning',
      `${conversationFileName} of "${nodeId}" has reached ${largestConversation / 2 ** 20} MiB, and takes no further entries`,
    );
  }
}
