import type { ModelMessage } from 'ai';
import type { Compaction } from './turn-record.js';

/** Messages of one stage, as its thread keeps them. */
export interface StageTurn {
  readonly messages: readonly ModelMessage[];
  /** True if a summary of everything before is among them, so that they replace it (SEMANTICS 125). */
  readonly replacesEarlier: boolean;
}

/** Messages of a conversation about one stage, with a summary in place of its older turns where it was too long (SEMANTICS 125). */
export class StageMessages {
  /** Messages of earlier stages of the thread. */
  readonly history: readonly ModelMessage[];
  readonly prompt: ModelMessage;
  /** A reply each, with our messages after it: the results of its tool calls, or a request. */
  readonly turns: ModelMessage[][] = [];
  compaction: Compaction | undefined;

  /** @param compaction the one that an earlier attempt has made */
  constructor(history: readonly ModelMessage[], prompt: ModelMessage, compaction?: Compaction) {
    this.history = history;
    this.prompt = prompt;
    this.compaction = compaction;
  }

  /** Number of answered requests, that for a summary among them. */
  get requests(): number {
    return this.turns.length + (this.compaction === undefined ? 0 : 1);
  }

  /** Adds a reply of the model. */
  addReply(messages: readonly ModelMessage[]): void {
    this.turns.push([...messages]);
  }

  /** Adds our messages after the latest reply. */
  addAnswers(messages: readonly ModelMessage[]): void {
    this.turns.at(-1)?.push(...messages);
  }

  /** Messages of the next request: a call of a tool and its result are always in it together, or not at all. */
  get all(): readonly ModelMessage[] {
    return this.compaction === undefined
      ? [...this.history, ...this.#ofStage(undefined)]
      : this.#ofStage(this.compaction);
  }

  /** What later stages of the thread continue. */
  get turn(): StageTurn {
    const replacesEarlier = this.compaction !== undefined;
    return { messages: this.#ofStage(this.compaction), replacesEarlier };
  }

  #ofStage(compaction: Compaction | undefined): readonly ModelMessage[] {
    if (compaction === undefined) return [this.prompt, ...this.turns.flat()];
    return [withSummary(this.prompt, compaction), ...this.turns.slice(compaction.turns).flat()];
  }
}

/** One message, because some models take words of the user only in turn with their own. */
function withSummary(prompt: ModelMessage, { summary }: Compaction): ModelMessage {
  const told =
    'This conversation became too long for you. All of it that came before your next words was replaced by this summary, which you have written:';
  return { role: 'user', content: `${String(prompt.content)}\n\n---\n\n${told}\n\n${summary}` };
}
