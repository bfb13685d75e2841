import { isReply } from '../../handlers/backend-answer.js';
import type {
  BackendConversation,
  ConversationAbout,
  EarlierConversation,
  RetryReason,
  VisitConversation,
} from '../../handlers/conversation.js';
import type { EntryOf, NewConversationEntry } from '../../handlers/conversation-entry.js';
import type { Outcome } from '../../machine/outcome.js';
import type { Progress } from '../../machine/progress.js';
import { sha256 } from '../../run-directory/sha256.js';
import type { Redactor } from '../../secrets/redactor.js';
import type { ConversationLog } from './conversation-log.js';
import { ProgressEntries } from './progress-entries.js';
import { type VisitEntries, type VisitNames, visitEntries } from './visit-entries.js';

/** Files of a stage in a run with git, for its conversation. */
export interface ConversationWorkspace {
  /** `continued`: as an earlier attempt has left them with its conversation; `lost` if git has them no more. */
  readonly state: 'as_before' | 'continued' | 'lost';
  snapshot(): Promise<string | null>;
  /** Puts them back to how they were before the stage. */
  putBack(): Promise<void>;
}

export interface ConversationOptions {
  readonly names: VisitNames;
  readonly file: ConversationLog;
  readonly redactor: Redactor;
  readonly workspace: ConversationWorkspace | undefined;
  /** The stage's own prompt, without the history before it. */
  readonly prompt: string;
  /** True when the attempt is over, and another one may be at work. */
  isOver(): boolean;
  /** Makes all progress durable that was reported so far. */
  flushJournal(): void;
  /**
   * Resolves when the file is stored where it survives this machine, in a run that may continue elsewhere.
   * @param recordsTurns true if its backend asks for that after each turn
   */
  keepFile(recordsTurns: boolean): Promise<void>;
  log(level: 'info' | 'warning', message: string): void;
}

/** Owner of a conversation whose backend reports progress alone. */
const custom = 'custom';
/** Owner of a reply that no model has given. */
const simulated = 'simulated';

/** Keeps the conversation of one attempt, and finds that of earlier attempts of the visit (SEMANTICS 123). */
export class KeptConversation implements VisitConversation {
  readonly answer: EntryOf<'answered'> | undefined;
  readonly retryReason: RetryReason | undefined;
  readonly #options: ConversationOptions;
  readonly #earlier: EarlierConversation | undefined;
  readonly #promptHash: string;
  readonly #progress: ProgressEntries;
  /** Usage of the reply that is added next. */
  #usages: NewConversationEntry[] = [];
  #whole = (): string => '';
  /** Origin of its entries; undefined until it has begun. */
  #origin: 'turns' | 'progress' | undefined;
  #hasBackend = false;
  #hasAnswered = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#progress = new ProgressEntries(options.redactor);
    this.#promptHash = sha256(options.prompt);
    const { attempt } = options.names;
    const left = unlessSimulated(visitEntries(options.file.read(), options.names));
    const isLost = options.workspace?.state === 'lost';
    const isSame = left.conversation?.begun.prompt_sha256 === this.#promptHash && !isLost;
    // Code of somebody else is asked again: it may have done more than answer, such as update the context.
    const isOurs = left.conversation?.begun.backend !== custom;
    this.answer = isSame && isOurs && left.lastAttempt === attempt ? left.answered : undefined;
    this.#earlier = isSame && left.answered === undefined ? left.conversation : undefined;
    this.retryReason = retryReason(left, attempt);
    if (isSame || left.conversation === undefined || left.answered !== undefined) return;
    const why = isLost ? 'its files are lost' : 'its prompt has changed';
    options.log(
      isLost ? 'warning' : 'info',
      `"${options.names.nodeId}" begins a new conversation, because ${why}`,
    );
  }

  /** True if the attempt has begun a conversation that its backend has not answered: the next attempt can continue it. */
  get isOpen(): boolean {
    return this.#hasBackend && !this.#hasAnswered;
  }

  forBackend(prompt: () => string): BackendConversation {
    this.#whole = prompt;
    const { workspace } = this.#options;
    return {
      earlier: this.#earlier,
      keepsFiles: workspace !== undefined,
      begin: (about) => this.#begin(about),
      add: (entry) => this.#append([...this.#progress.take(), entry, ...this.#usageAfter(entry)], true),
      kept: () => this.#options.keepFile(this.#origin === 'turns'),
      snapshot: async () => workspace?.snapshot(),
    };
  }

  progressed(progress: Progress): void {
    if (this.#options.isOver()) return;
    // A backend that records its turns reports their usage before them.
    if (this.#origin === 'turns') {
      if (progress.kind === 'model_used') this.#usages.push(...this.#progress.entriesFor(progress));
      return;
    }
    const entries = this.#progress.entriesFor(progress);
    // A session must be known to the process after a crash.
    if (entries.length > 0) this.#append(entries, progress.kind === 'session_started');
  }

  answered(result: unknown): void {
    const answer = answerOf(result);
    if (answer === undefined) return;
    if ('simulated' in answer) return this.#simulated(answer.simulated);
    this.#hasAnswered = true;
    const status_file = this.#options.file.statusFile();
    this.#append([...this.#rest(), { kind: 'answered', ...answer, status_file }], this.#hasBackend);
  }

  /** Records that another attempt follows its answer. */
  retried(reason: string): void {
    if (this.#hasAnswered) this.#append([{ kind: 'retried', reason }], this.#hasBackend);
  }

  flush(): void {
    const rest = this.#rest();
    if (rest.length > 0 && !this.#options.isOver()) this.#append(rest, false);
  }

  /** Records a reply of no model: nothing continues it, and it is not used again. */
  #simulated(text: string): void {
    if (this.#options.isOver()) return;
    const reply = { kind: 'assistant', content: [{ type: 'text', text }], end: 'complete' } as const;
    this.#options.file.append([...this.#beginning({ backend: simulated, continues: false }), reply], false);
  }

  /** Takes all that is held back. */
  #rest(): readonly NewConversationEntry[] {
    return [...this.#progress.take(), ...this.#usages.splice(0)];
  }

  #usageAfter({ kind }: NewConversationEntry): readonly NewConversationEntry[] {
    return kind === 'assistant' ? this.#usages.splice(0) : [];
  }

  async #begin(about: ConversationAbout): Promise<void> {
    const { workspace } = this.#options;
    this.#origin = about.recordsTurns ? 'turns' : 'progress';
    this.#hasBackend = true;
    this.#options.file.warnIfMissing();
    if (workspace?.state === 'continued' && !about.continues) await workspace.putBack();
    this.#options.file.append(this.#beginning(about), false);
  }

  #append(entries: readonly NewConversationEntry[], isDurable: boolean): void {
    if (this.#options.isOver())
      throw new Error('the attempt is over: its conversation takes no further entries');
    // The backend keeps no conversation of its own.
    const first = this.#origin === undefined ? this.#beginning({ backend: custom, continues: false }) : [];
    this.#origin ??= 'progress';
    if (isDurable) this.#options.flushJournal();
    this.#options.file.append([...first, ...entries], isDurable);
  }

  #beginning(about: Omit<ConversationAbout, 'recordsTurns'>): readonly NewConversationEntry[] {
    const { runId, nodeId, visit, attempt } = this.#options.names;
    const { backend, model, thread, continues } = about;
    const names = { run_id: runId, node_id: nodeId, visit, attempt };
    const prompt_sha256 = this.#promptHash;
    const begun = { kind: 'begun', ...names, continues, backend, model, thread, prompt_sha256 } as const;
    return continues ? [begun] : [begun, { kind: 'user', text: this.#whole() }];
  }
}

function retryReason(left: VisitEntries, attempt: number): RetryReason | undefined {
  if (left.answered === undefined || left.lastAttempt === attempt) return left.retriedBefore;
  return left.retried ?? { attempt: left.lastAttempt, reason: undefined };
}

/** Nothing continues a simulated conversation. */
function unlessSimulated(entries: VisitEntries): VisitEntries {
  return entries.conversation?.begun.backend === simulated
    ? { ...entries, conversation: undefined }
    : entries;
}

type Answer = Omit<EntryOf<'answered'>, 'kind' | 'at' | 'status_file'>;

/** Answer as JSON; undefined for one that JSON cannot hold, or that the engine will not accept. */
function answerOf(result: unknown): Answer | { readonly simulated: string } | undefined {
  if (typeof result === 'string') return { response: result };
  if (typeof result !== 'object' || result === null) return undefined;
  try {
    if (!isReply(result)) return { outcome: JSON.parse(JSON.stringify(result)) };
    const { response, outcome } = result;
    if (result.simulated === true) return { simulated: response };
    return {
      response,
      outcome: outcome && (JSON.parse(JSON.stringify(outcome)) as Outcome & Answer['outcome']),
    };
  } catch {
    return undefined;
  }
}
