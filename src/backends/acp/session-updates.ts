import type { BackendCall } from '../../handlers/codergen-backend.js';
import { type Fields, recordIn, textIn } from './fields.js';
import { ToolCalls } from './tool-calls.js';
import type { UsageMeter } from './usage-meter.js';

/** Turns what an agent tells of a turn into the progress of its stage (§9.6), and keeps what it answers. */
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
    this.toolCalls = new ToolCalls(
      (progress) => call.report(progress),
      () => performance.now(),
    );
  }

  /** What the agent has said; a paragraph begins where it did something in between. */
  get response(): string {
    return this.#texts
      .map((text) => text.trim())
      .filter((text) => text !== '')
      .join('\n\n');
  }

  /** Whether nothing at all came of the turn. */
  get isEmpty(): boolean {
    return this.response === '' && !this.toolCalls.hasAny;
  }

  beginTurn(): void {
    this.#isBroken = true;
  }

  /** What was before this stage: only what its session has cost so far must be known. */
  passOver(update: Fields): void {
    if (update.sessionUpdate === 'usage_update') this.#meter.ofUpdate(update);
  }

  /** @throws StageSuspension when what the agent has used was the rest of a budget */
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
