import type { FidelityMode } from './fidelity.js';
import type { Answer, Question } from './interview.js';
import type { Session } from './progress.js';

/** What the machine wants done. Data only: a driver performs it and feeds the result back as an input. */
export type Effect =
  | ExecuteEffect
  | WaitEffect
  | WaitForRunEffect
  | AskEffect
  | DeliverEffect
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
  /** How many attempts of this node began before, over all visits; selects the entry of a script. */
  readonly execution: number;
  /** Of an LLM stage: how much it is told of what went before (§5.4). */
  readonly fidelity: FidelityMode | undefined;
  /** Of an LLM stage with the fidelity `full`: the session that it shares with others. */
  readonly thread: string | undefined;
  /** Of such a stage: the conversation that the thread has had so far. */
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

/** Tell the stages that are running that the run is to pause, for those that can do so in between. */
export interface RequestPauseEffect {
  readonly kind: 'request_pause';
  readonly reason: string;
}

/** Stop what runs for this cursor; its result no longer matters. */
export interface AbortEffect {
  readonly kind: 'abort';
  readonly cursor: string;
  /** Whether the stage will run again when the run is resumed, or never. */
  readonly why: 'paused' | 'cancelled';
  readonly reason: string;
}
