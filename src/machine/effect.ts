import type { FidelityMode } from './fidelity.js';
import type { Answer, Question } from './interview.js';
import type { PersonWords } from './person-words.js';
import type { Session } from './progress.js';

/** Request of the machine. Data only: a driver performs it and feeds the result back as an input. */
export type Effect =
  | ExecuteEffect
  | WaitEffect
  | WaitForRunEffect
  | AskEffect
  | DeliverEffect
  | SayEffect
  | RequestPauseEffect
  | AbortEffect;

/** Run one attempt of a stage; the result comes back as `stage_settled`. */
export interface ExecuteEffect {
  readonly kind: 'execute';
  readonly cursor: string;
  readonly nodeId: string;
  readonly visit: number;
  /** Ordinal of the visit in the branch. */
  readonly lineVisit: number;
  readonly attempt: number;
  readonly index: number;
  /** Number of attempts of this node that began before, over all visits; selects the entry of a script. */
  readonly execution: number;
  /** Fidelity of an LLM stage: how much of the earlier stages it receives (§5.4). */
  readonly fidelity: FidelityMode | undefined;
  /** Session that an LLM stage with the fidelity `full` shares with others. */
  readonly thread: string | undefined;
  /** Conversation of its thread so far. */
  readonly session: Session | undefined;
}

/** Come back with `timer_fired` at this time, in milliseconds since 1970. */
export interface WaitEffect {
  readonly kind: 'wait';
  readonly cursor: string;
  readonly index: number;
  readonly attempt: number;
  readonly until: number;
}

/** Come back with `run_timer_fired` at this time, in milliseconds since 1970. */
export interface WaitForRunEffect {
  readonly kind: 'wait_for_run';
  readonly until: number;
}

/** Ask a person; the result comes back as `answered`, or as `unanswered` if nobody can be asked. */
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

/** Bring words of a person to a running stage, if it works elsewhere: one on this machine finds them in the state. */
export interface SayEffect {
  readonly kind: 'say';
  readonly cursor: string;
  readonly words: PersonWords;
}

/** Tell the running stages that the run is about to pause, for those that can pause in between. */
export interface RequestPauseEffect {
  readonly kind: 'request_pause';
  readonly reason: string;
}

/** Stop the work for this cursor; its result no longer matters. */
export interface AbortEffect {
  readonly kind: 'abort';
  readonly cursor: string;
  /** `paused` if the stage will run again when the run is resumed, `cancelled` if it never will. */
  readonly why: 'paused' | 'cancelled';
  readonly reason: string;
}
