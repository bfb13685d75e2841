import type { Compilation } from '../../compiler/compile.js';
import type { RunParent } from '../../run-directory/manifest.js';
import type { RunResult } from '../../view/run-result.js';
import type { BudgetAbove } from '../driver/budget-above.js';
import type { RunQuestions } from '../questions/run-questions.js';
import type { ReplaySource } from '../recording/replay-source.js';
import type { InvalidPipeline } from '../run-options.js';
import type { NewRunLocation } from '../run-parts.js';
import type { RunSettings } from '../run-settings.js';
import type { Levels } from './levels.js';

/** The position of a child run among other runs (§9.4). */
export interface Lineage extends Levels {
  readonly parent: RunParent;
}

/** Arguments of a run besides its settings, from callers inside of the library. */
export interface RunCall {
  /** The id and the directory of a new run, where they are known already. */
  readonly place?: NewRunLocation;
  /** A notice for people about its text. */
  readonly notice?: string;
  /** Aborting it stops the run at once, whatever `pauseSignal` has said, so that it can be resumed. */
  readonly stopSignal?: AbortSignal;
  /** Brings answers to the run; the questions of a child are among those of the run above. */
  readonly questions?: RunQuestions;
  /** The budget that the runs above a child leave it. */
  readonly budgetAbove?: BudgetAbove;
  /** Says what a child is played back from, where the run above is. @throws ReplayDivergence where there was no such child */
  readonly replay?: () => ReplaySource;
  /** Set for a new child. */
  readonly lineage?: Lineage;
  /** A resumed child that has failed gives its result again; otherwise it continues. */
  readonly leavesFailure?: boolean;
}

/** Starts and resumes runs. Child runs get it as an argument, because they have children of their own. */
export interface RunEngine {
  compile(text: string, ports: RunSettings['ports'], name: string): Compilation;
  start(compilation: Compilation, settings: RunSettings, call: RunCall): Promise<RunResult | InvalidPipeline>;
  resume(
    directory: string,
    compilation: Compilation,
    settings: RunSettings,
    call: RunCall,
  ): Promise<RunResult | InvalidPipeline>;
}
