import type { Answer, Question } from './interview.js';

/** What the machine wants done. Data only: a driver performs it and feeds the result back as an input. */
export type Effect = ExecuteEffect | WaitEffect | AskEffect | DeliverEffect | AbortEffect;

/** Run one attempt of a stage; the result comes back as `stage_settled`. */
export interface ExecuteEffect {
  readonly kind: 'execute';
  readonly cursor: string;
  readonly nodeId: string;
  readonly visit: number;
  readonly attempt: number;
  readonly index: number;
  /** How many attempts of this node have settled before, over all visits; selects the entry of a script. */
  readonly execution: number;
}

/** Come back with `timer_fired` at this time, in milliseconds since 1970. */
export interface WaitEffect {
  readonly kind: 'wait';
  readonly cursor: string;
  readonly until: number;
}

/** Ask a person; the result comes back as `answered`, or as `unanswered` where nobody can be asked. */
export interface AskEffect {
  readonly kind: 'ask';
  readonly cursor: string;
  readonly question: Question;
}

/** Hand an answer to the stage that asked. */
export interface DeliverEffect {
  readonly kind: 'deliver';
  readonly cursor: string;
  readonly questionId: string;
  readonly answer: Answer;
}

/** Stop what runs for this cursor; its result no longer matters. */
export interface AbortEffect {
  readonly kind: 'abort';
  readonly cursor: string;
  readonly reason: string;
}
