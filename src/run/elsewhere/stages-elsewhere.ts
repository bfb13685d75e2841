import type { Artifacts } from '../../handlers/artifacts.js';
import type { SteeringReadiness } from '../../handlers/stage-steering.js';
import type {
  AbortEffect,
  DeliverEffect,
  ExecuteEffect,
  RequestPauseEffect,
  SayEffect,
} from '../../machine/effect.js';
import type { InputBody, ReportedInput } from '../../machine/input.js';

/**
 * Port to other machines that perform attempts of stages for a run (SEMANTICS 140). The state machine stays here: effects about the
 * attempt go there, and the inputs that it produces come back.
 */
export interface StagesElsewhere {
  /** True if all stages may go there, and not only those of branches: stages of a line wait for each other. */
  readonly takesMainLine: boolean;
  /** Begins an attempt there, or finds the same one again if a process before this one has begun it. */
  begin(attempt: AttemptElsewhere): BegunAttempt;
  /**
   * The same for a child run.
   * @param directory of the child
   * @param isInBranch true if the stage that runs it is in a branch
   */
  below(directory: string, isInBranch: boolean): StagesElsewhere;
}

/** An attempt, and the connections of those who wait for it. */
export interface AttemptElsewhere {
  /** Id of the run, or of the child run. */
  readonly runId: string;
  readonly effect: ExecuteEffect;
  /** True if a budget limits its costs. */
  readonly isBudgeted: boolean;
  /** Receives the artifacts that the attempt stores. */
  readonly artifacts: Pick<Artifacts, 'store' | 'remove' | 'clear'>;
  /** Called with each input, in order. */
  dispatch(input: InputBody & ReportedInput): void;
  /** Called when the attempt opens itself to words of people, or refuses them. */
  onReadiness(readiness: SteeringReadiness): void;
  /** Stores the files of the stage as they are in the directory of the run now; resolves when the run has them for good. */
  keepFiles(): Promise<void>;
}

export interface BegunAttempt {
  /** Passes an order on. */
  tell(order: StageOrder): void;
  /** Waits no longer: the run continues in another process, which finds the attempt again. */
  leave(): void;
  /** Resolves when nothing comes from there any more. */
  readonly ended: Promise<void>;
}

/** Order to an attempt on another machine: an effect that is about it, or that its run may spend nothing more. */
export type StageOrder =
  | Pick<AbortEffect, 'kind' | 'why' | 'reason'>
  | Pick<DeliverEffect, 'kind' | 'questionId' | 'answer'>
  | Pick<SayEffect, 'kind' | 'words'>
  | RequestPauseEffect
  | { readonly kind: 'budget_spent'; readonly reason: string };
