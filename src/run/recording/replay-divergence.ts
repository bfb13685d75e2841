import { StageCrash } from '../../handlers/handler.js';

/**
 * Thrown if a stage requests something else than was recorded. It counts as a fault of the pipeline, so
 * that no route leads on (Appendix D): later exchanges were never recorded.
 */
export class ReplayDivergence extends StageCrash {
  constructor(reason: string) {
    super(reason, { retryable: false, failure_category: 'pipeline' });
    this.name = 'ReplayDivergence';
  }
}

/** Divergence of a replay, or of a child of it, from the recording. */
export class ReplayWatch {
  #divergence: string | undefined;

  /** First divergence. */
  get divergence(): string | undefined {
    return this.#divergence;
  }

  diverge(reason: string): ReplayDivergence {
    this.#divergence ??= reason;
    return new ReplayDivergence(this.#divergence);
  }

  /**
   * @throws ReplayDivergence after any difference, in any branch or child: nothing more can be played back
   */
  check(): void {
    if (this.#divergence !== undefined) throw new ReplayDivergence(this.#divergence);
  }
}
