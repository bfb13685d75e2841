import type { JsonValue } from '../graph/json.js';

/** The kinds of question (§6.2). */
export type QuestionType = 'YES_NO' | 'MULTIPLE_CHOICE' | 'FREEFORM' | 'CONFIRMATION';

export interface QuestionOption {
  /** The accelerator key: `A`, or a number. */
  readonly key: string;
  readonly label: string;
}

/** Text that a gate asks for besides the choice (SEMANTICS 109). */
export type AskedWords = 'optional' | 'required';

/** A question to a person (§6.2). Plain JSON: it is journaled, so that a run may wait for days. */
export interface Question {
  /** Unique in the run. */
  readonly id: string;
  readonly text: string;
  readonly type: QuestionType;
  readonly options: readonly QuestionOption[];
  /** Set if a person may, or must, write a text besides the choice (SEMANTICS 109). */
  readonly words?: AskedWords;
  /** Answer when the time is up. */
  readonly default?: Answer;
  readonly timeout_seconds?: number;
  /** The id of the node that asks. */
  readonly stage: string;
  readonly metadata?: Readonly<Record<string, JsonValue>>;
}

/**
 * An answer (§6.3). `value` is `YES`, `NO`, `SKIPPED`, `TIMEOUT`, or the words of the person: the key of an option, or
 * free text.
 */
export interface Answer {
  readonly value: string;
  readonly selected_option?: QuestionOption;
  readonly text?: string;
  /** Set if nobody answered in time, so that the question's default was used. */
  readonly by_default?: true;
}

/** Metadata of a question that the engine asks about an interrupted stage that must not simply run again. */
export const interruptionMetadata = { 'attractor.interrupted': true } as const;

export function isInterruption(question: Question): boolean {
  return question.metadata?.['attractor.interrupted'] === true;
}
