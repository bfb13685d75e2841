import type { StageRoutes } from '../../graph/stage-routes.js';
import { readVerdict, type VerdictReading, verdictCorrections, verdictTool } from '../verdict.js';

/** Answer to a call of the tool, for the model. */
export interface VerdictReply {
  readonly text: string;
  readonly isError: boolean;
}

/**
 * Takes the verdicts of one stage (Appendix C). The last one counts, so that a model may change its mind;
 * an unusable one may be corrected a bounded number of times, and remains an error if no better one
 * follows.
 */
export class VerdictRegister {
  readonly #ways: StageRoutes;
  #reading: VerdictReading | undefined;
  #mistakes = 0;

  constructor(ways: StageRoutes) {
    this.#ways = ways;
  }

  get reading(): VerdictReading | undefined {
    return this.#reading;
  }

  /** True if no further verdict is accepted. */
  get isExhausted(): boolean {
    return this.#mistakes > verdictCorrections;
  }

  take(input: unknown): VerdictReply {
    if (this.isExhausted) {
      return {
        isError: true,
        text: 'No further corrections are accepted: this stage has failed. Stop here.',
      };
    }
    const reading = readVerdict(input, this.#ways);
    this.#reading = reading;
    switch (reading.kind) {
      case 'outcome':
        return { isError: false, text: 'The outcome has been recorded. The stage ends when you stop.' };
      case 'invalid':
        this.#mistakes += 1;
        return { isError: true, text: this.#complaint(reading.problem) };
    }
  }

  #complaint(problem: string): string {
    const left = verdictCorrections + 1 - this.#mistakes;
    if (left === 0) return `The outcome was not recorded: ${problem}. This stage has failed.`;
    const times = left === 1 ? 'once again' : `${left} more times`;
    return `The outcome was not recorded: ${problem}. Call ${verdictTool} again; you may try ${times}.`;
  }
}
