import type { Compilation } from '../../compiler/compile.js';
import type { RunResult } from '../../view/run-result.js';
import type { BudgetAbove } from '../driver/budget-above.js';
import type { ReplaySource } from '../recording/replay-source.js';
import type { InvalidPipeline, ResumeOptions, RunOptions } from '../run-options.js';
import type { Lineage } from '../start-run.js';

/** What a child run is given beside what any run may be given. */
export interface ChildCall {
  /** Aborting it stops the run at once, whatever `pauseSignal` has said. */
  readonly stopSignal: AbortSignal;
  /** What the runs above it leave it to spend. */
  readonly budgetAbove: BudgetAbove;
  /** Says what it is played back from, where the run above is. @throws ReplayDivergence where there was no such child */
  readonly replay?: (() => ReplaySource) | undefined;
}

export interface NewChildCall extends ChildCall {
  readonly lineage: Lineage;
}

export interface OldChildCall extends ChildCall {
  /** One that has failed gives its result again; otherwise it goes on. */
  readonly leavesFailure: boolean;
}

/** How runs are started and resumed; whoever does that hands it in, because a child run has children of its own. */
export interface RunEngine {
  compile(text: string, options: RunOptions): Compilation;
  start(
    compilation: Compilation,
    options: RunOptions,
    child: NewChildCall,
  ): Promise<RunResult | InvalidPipeline>;
  goOn(
    directory: string,
    compilation: Compilation,
    options: ResumeOptions,
    child: OldChildCall,
  ): Promise<RunResult | InvalidPipeline>;
}
