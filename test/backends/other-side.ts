import type { ClosableBackend } from '../../src/backends/backend.js';

/** What the other side of a backend (a model, an agent) does when it is asked. */
export type Scene = Answer | CutOff | Refusal | Hanging;

export interface Answer {
  readonly kind: 'answers';
  readonly text: string;
  /** Writes a file into the working directory first, by a tool: one request more, where requests can be told apart. */
  readonly writes?: { readonly name: string; readonly content: string } | undefined;
  /** Asks a person before it reports and answers, by `ask_person`. */
  readonly asks?: { readonly question: string; readonly options?: readonly string[] } | undefined;
  /** Of the whole turn. */
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number } | undefined;
  /** What it hands to `report_outcome`, or writes into the status file: one after the other, until one is accepted. */
  readonly verdicts?: readonly unknown[] | undefined;
}

/** Its answer ends at a limit of length. */
export interface CutOff {
  readonly kind: 'cut_off';
  readonly text: string;
}

/** An HTTP error. */
export interface Refusal {
  readonly kind: 'refuses';
  readonly status: 401 | 429 | 500;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

/** Begins, and never ends. */
export interface Hanging {
  readonly kind: 'hangs';
  readonly text: string;
}

/** The other side of a backend, which plays scenes: an adapter of each backend brings one. */
export interface OtherSide {
  /** A backend that works with it; a new one each time, as after a restart of the process. */
  backend(): Promise<ClosableBackend>;
  /** What it was asked for, in order: neither results of tools nor corrections of verdicts count. */
  turns(): readonly Turn[];
  /** What it was told of verdicts that were not accepted. */
  refusals(): readonly string[];
  /** The answers of people, in its words. */
  heard(): readonly string[];
  /** Whether it is in a scene that never ends. */
  isHanging(): boolean;
  /** Whether a process or a connection is left that works for a stage. */
  isAtWork(): boolean;
}

export interface Turn {
  readonly prompt: string;
  /** The system prompt, where it has one. */
  readonly system?: string | undefined;
  /** The prompts that it remembers from before, in the same conversation. */
  readonly earlier: readonly string[];
}

export function answers(text: string, more: Omit<Answer, 'kind' | 'text'> = {}): Answer {
  return { kind: 'answers', text, ...more };
}

/** Of one that is never at work behind anybody's back. */
export const quietSide: Pick<OtherSide, 'refusals' | 'heard' | 'isHanging' | 'isAtWork'> = {
  refusals: () => [],
  heard: () => [],
  isHanging: () => false,
  isAtWork: () => false,
};
