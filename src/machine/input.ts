import type { BudgetLimit, StageBudgets } from '../graph/budget-limit.js';
import type { JsonValue } from '../graph/json.js';
import type { Answer, Question } from './interview.js';
import type { Outcome } from './outcome.js';
import type { PersonWords } from './person-words.js';
import type { Progress } from './progress.js';

/** Input of a run. Time and chance are inputs too, so that the same inputs give the same run. */
export type Input = InputBody & {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Uniform in [0, 1); spreads the pauses between attempts. */
  readonly random: number;
} & ReportedInput;

/** Input that may come from an attempt on another machine; it means the same. */
export interface ReportedInput {
  /** Number of the report by which it came, so that each report counts once. */
  readonly report?: ReportNumber;
}

/** Number of one report of an attempt that is performed on another machine: later ones are larger, first by `execution`. */
export interface ReportNumber {
  /** Id of the attempt there. */
  readonly stage: string;
  /** Times that the attempt has begun there, from 1. */
  readonly execution: number;
  /** From 1. */
  readonly number: number;
}

export type InputBody =
  | {
      readonly kind: 'start';
      readonly runId: string;
      readonly graphHash: string;
      /** Commit at which the run begins, if it commits its files. */
      readonly commit?: string;
      readonly inputs: Readonly<Record<string, JsonValue>>;
      readonly maxSteps?: number;
      readonly budgetUsd?: BudgetLimit;
      readonly budgetTokens?: number;
      readonly stageBudgets?: StageBudgets;
    }
  | {
      readonly kind: 'resume';
      readonly maxSteps?: number;
      readonly budgetUsd?: BudgetLimit;
      readonly budgetTokens?: number;
      readonly stageBudgets?: StageBudgets;
      /** True if the run has nothing yet but the events that it shares with the one it was forked from. */
      readonly isFork?: boolean;
      /** The node to continue at, instead of where the run stopped. */
      readonly nodeId?: string;
      readonly inputs?: Readonly<Record<string, JsonValue>>;
    }
  /** The process has released a run that only asks (`onlyAsks`), and continues it as if nothing had happened. */
  | { readonly kind: 'wake' }
  | (AttemptInput & {
      readonly kind: 'stage_settled';
      readonly outcome: Outcome;
      /** Commit of its files, in a run that commits them. */
      readonly commit?: string;
      /** Set if the work of the attempt was simulated. */
      readonly simulated?: true;
      /** Milliseconds of its work, if it has waited for its turn, or for another machine; undefined if it began at once. */
      readonly workedMs?: number | undefined;
    })
  /** The attempt of a parallel node: its branches may begin (§4.8). */
  | (AttemptInput & {
      readonly kind: 'fan_out';
      readonly commit?: string;
      /**
       * Items that become branches, in parts that an event can hold (SEMANTICS 106); undefined if those of
       * before are used again.
       */
      readonly items?: readonly (readonly JsonValue[])[];
    })
  /** The stage cannot continue now; the run pauses once nothing else can. */
  | (AttemptInput & { readonly kind: 'stage_suspended'; readonly reason: string })
  /** The stage reports progress. */
  | (AttemptInput & {
      readonly kind: 'stage_progress';
      readonly progress: Progress;
      /** The stage, of a model's use: that counts also where the branch has ended meanwhile. */
      readonly stage?: { readonly nodeId: string; readonly visit: number } | undefined;
    })
  | (AttemptInput & { readonly kind: 'timer_fired' })
  /** The time limit of the run is reached. */
  | { readonly kind: 'run_timer_fired' }
  /** A running stage asks a question. */
  | (AttemptInput & { readonly kind: 'question_raised'; readonly question: Question })
  | {
      readonly kind: 'answered';
      readonly cursor: string;
      readonly questionId: string;
      readonly answer: Answer;
      readonly timedOut?: boolean;
    }
  /** A person says something to the model of a running stage. */
  | (AttemptInput & { readonly kind: 'steered'; readonly words: PersonWords })
  /** Nobody can answer now; the stage is suspended until somebody can. */
  | { readonly kind: 'unanswered'; readonly cursor: string; readonly questionId: string }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warning';
      readonly message: string;
      readonly nodeId?: string;
      readonly aboutFiles?: true;
    }
  | { readonly kind: 'checkpoint_saved'; readonly nodeId: string }
  | {
      readonly kind: 'pause';
      readonly reason: string;
      /** `after_stage` lets the running stages finish; `now` stops them, to be run again later. */
      readonly mode: 'after_stage' | 'now';
    }
  | { readonly kind: 'cancel' };

/** Attempt that an input is about, so that a late one is not taken for that of another attempt. */
export interface AttemptInput {
  readonly cursor: string;
  /** Ordinal of the visit in the run. */
  readonly index: number;
  readonly attempt: number;
}
