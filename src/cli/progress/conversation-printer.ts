import type { ChalkInstance } from 'chalk';
import type { ConversationEntry } from '../../handlers/conversation-entry.js';
import { ConversationReader, type TurnStep } from '../../view/conversation/conversation-steps.js';
import { replyEndWords, turnUsageWords } from '../../view/conversation/conversation-words.js';
import { partLines, stepLines, turnHead } from './conversation-text.js';

export interface PrinterOptions {
  readonly chalk: ChalkInstance;
  readonly isFull: boolean;
  /** Attempt to show; all of them by default. */
  readonly attempt: number | undefined;
  print(line: string): void;
}

/** Prints a conversation that may still grow: each part once, as soon as it is complete. */
export class ConversationPrinter {
  readonly #options: PrinterOptions;
  readonly #reader = new ConversationReader();
  /** Steps that are printed in full. */
  #steps = 0;
  /** Parts printed of the turn after them; undefined before its header. */
  #parts: number | undefined;
  #hasUsage = false;

  constructor(options: PrinterOptions) {
    this.#options = options;
  }

  /** @param isOver true if nothing follows, so that a call without a result has none */
  add(entries: readonly ConversationEntry[], isOver: boolean): void {
    for (const entry of entries) if (this.#isWanted(entry)) this.#reader.read(entry);
    const { steps } = this.#reader;
    for (let step = steps[this.#steps]; step !== undefined; step = steps[this.#steps]) {
      const isLast = this.#steps === steps.length - 1;
      if (step.kind !== 'turn') this.#print(stepLines(step, this.#options));
      else if (!this.#printTurn(step, isOver || !isLast)) return;
      this.#steps += 1;
    }
  }

  /** Attempt of the entries that come now. */
  #attempt = 0;

  #isWanted(entry: ConversationEntry): boolean {
    if (entry.kind === 'begun') this.#attempt = entry.attempt;
    return this.#options.attempt === undefined || this.#options.attempt === this.#attempt;
  }

  /** @returns true if all of the turn is printed */
  #printTurn(turn: TurnStep, isComplete: boolean): boolean {
    for (let index = this.#parts ?? 0; index < turn.parts.length; index += 1) {
      const part = turn.parts[index];
      if (part === undefined || (!isComplete && part.kind === 'call' && part.result === undefined))
        return false;
      if (this.#parts === undefined) {
        this.#print(turnHead(turn, this.#options));
        this.#hasUsage = turn.used !== undefined;
      }
      this.#print(partLines(part, this.#options));
      this.#parts = index + 1;
    }
    if (!isComplete) return false;
    if (!this.#hasUsage && turn.used !== undefined)
      this.#print([this.#options.chalk.blue(turnUsageWords(turn.used))]);
    if (turn.end !== undefined) this.#print([this.#options.chalk.yellow(replyEndWords[turn.end])]);
    this.#parts = undefined;
    this.#hasUsage = false;
    return true;
  }

  #print(lines: readonly string[]): void {
    for (const line of lines) this.#options.print(line);
  }
}
