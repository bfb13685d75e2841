import type { BackendCall } from '../../handlers/codergen-backend.js';
import { type Fields, recordIn, textIn } from './fields.js';
import { ToolCalls } from './tool-calls.js';
import type { UsageMeter } from './usage-meter.js';

/** Turns the updates of a turn into progress of its stage (§9.6), and collects the answer. */
export class SessionUpdates {
  readonly toolCalls: ToolCalls;
  readonly #call: BackendCall;
  readonly #meter: UsageMeter;
  readonly #onCost: () => void;
  readonly #texts: string[] = [];
  #isBroken = false;

  /** @param onCost called when the costs of the session have grown */
  constructor(call: BackendCall, meter: UsageMeter, onCost: () => void) {
    this.#call = call;
    this.#meter = meter;
    this.#onCost = onCost;
    this.toolCalls = new ToolCalls(call, () => performance.now());
  }

  /** Answer of the agent; a new paragraph begins after each action. */
  get response(): string {
    return this.#texts
      .map((text) => text.trim())
      .filter((text) => text !== '')
      .join('\n\n');
  }

  /** True if the turn had neither an answer nor a tool call. */
  get isEmpty(): boolean {
    return this.response === '' && !this.toolCalls.hasAny;
  }

  beginTurn(): void {
    this.#isBroken = true;
  }

  /** Skips an update from before this stage, except for the costs of the session. */
  passOver(update: Fields): void {
    if (update.sessionUpdate === 'usage_update') this.#meter.skip(update);
  }

  /** @throws StageSuspension when the usage exhausts a budget */
  take(update: Fields): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#say(textOf(update));
      case 'agent_thought_chunk':
        return this.#think(textOf(update));
      case 'tool_call':
      case 'tool_call_update':
        this.#isBroken = true;
        return this.toolCalls.update(update);
      case 'usage_update':
        return this.#use(update);
    }
  }

  #say(text: string): void {
    if (text === '') return;
    this.#call.report({ kind: 'text', channel: 'response', text });
    const last = this.#isBroken ? undefined : this.#texts.pop();
    this.#texts.push(`${last ?? ''}${text}`);
    this.#isBroken = false;
  }

  #think(text: string): void {
    if (text !== '') this.#call.report({ kind: 'text', channel: 'reasoning', text });
  }

  #use(update: Fields): void {
    const uses = this.#meter.ofUpdate(update);
    for (const use of uses) this.#call.report({ kind: 'model_used', ...use });
    if (uses.length === 0) return;
    this.#onCost();
    this.#call.checkBudget();
  }
}

function textOf(update: Fields): string {
  return textIn(recordIn(update, 'content'), 'text') ?? '';
}
