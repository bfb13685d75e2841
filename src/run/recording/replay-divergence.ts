import { StageCrash } from '../../handlers/handler.js';

/**
 * Thrown where a stage asks for something else than was recorded. It counts as a fault of the pipeline, so that nothing leads
 * on from it (Appendix D): what would come then was never recorded.
 */
export class ReplayDivergence extends StageCrash {
  constructor(reason: string) {
    super(reason, { retryable: false, failure_category: 'pipeline' });
    this.name = 'ReplayDivergence';
  }
}

/** Whether, and how, the replay of a run or of a child of it has left what was recorded. */
export class ReplayWatch {
  #divergence: string | undefined;

  /** What was found first. */
  get divergence(): string | undefined {
    return this.#divergence;
  }

  diverge(reason: string): ReplayDivergence {
    this.#divergence ??= reason;
    return new ReplayDivergence(this.#divergence);
  }

  /** @throws ReplayDivergence once something differed, in whatever branch or child: there is nothing more to be played back */
  check(): void {
    if (this.#divergence !== undefined) throw new ReplayDivergence(this.#divergence);
  }
}
