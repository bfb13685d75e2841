import type { JsonValue } from '../../graph/json.js';
import type { Answer, Question } from './interview.js';
import type { Outcome } from './outcome.js';

/** What happens to a run. Time and chance are inputs too, so that the same inputs give the same run. */
export type Input = InputBody & {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Uniform in [0, 1); spreads the pauses between attempts. */
  readonly random: number;
};

export type InputBody =
  | {
      readonly kind: 'start';
      readonly runId: string;
      readonly graphHash: string;
      readonly inputs: Readonly<Record<string, JsonValue>>;
      readonly maxSteps?: number;
    }
  | {
      readonly kind: 'resume';
      readonly maxSteps?: number;
      /** The node to go on at, instead of where the run stopped. */
      readonly nodeId?: string;
      readonly inputs?: Readonly<Record<string, JsonValue>>;
    }
  | { readonly kind: 'stage_settled'; readonly cursor: string; readonly outcome: Outcome }
  | { readonly kind: 'timer_fired'; readonly cursor: string }
  /** A running stage wants to ask. */
  | { readonly kind: 'question_raised'; readonly cursor: string; readonly question: Question }
  | {
      readonly kind: 'answered';
      readonly cursor: string;
      readonly questionId: string;
      readonly answer: Answer;
      readonly timedOut?: boolean;
    }
  /** Nobody is there to answer now; the run pauses until somebody is. */
  | { readonly kind: 'unanswered'; readonly cursor: string; readonly questionId: string }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warning';
      readonly message: string;
      readonly nodeId?: string;
    }
  | { readonly kind: 'checkpoint_saved'; readonly nodeId: string }
  | { readonly kind: 'pause'; readonly reason: string }
  | { readonly kind: 'cancel' };
