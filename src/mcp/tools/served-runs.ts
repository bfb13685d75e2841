import type { AcceptedRun, Resumption, Submission } from '../../server/api/run.js';

/** Runs that tools start and steer, under the policy of a server (§9.5). */
export interface ServedRuns {
  /**
   * Run directory of a run of this home.
   * @throws RunError for an unknown id
   */
  directory(id: string): string;
  /** @throws UsageError if there is no run */
  newest(): string;
  /** @throws ProblemError for a pipeline that may not run */
  submit(submission: Submission): Promise<AcceptedRun>;
  /** @throws ProblemError for a run that cannot continue */
  resume(id: string, request: Resumption): Promise<AcceptedRun>;
  /** Cancels a run, whatever process executes it. @throws ProblemError if it has ended */
  cancel(id: string): Promise<AcceptedRun>;
  /** Asks a person at the client the questions of a run from now on, if the client can do that. */
  askPeople(id: string): void;
  /** True for a question that a person at the client is asked, and has not left open. */
  isAsking(id: string, question: string): boolean;
}
