import type { Compilation } from '../../compiler/compile.js';
import type { PipelineFiles } from '../../lint/named-files.js';
import type { RunParent } from '../../run-directory/manifest.js';
import type { RunResult } from '../../view/run-result.js';
import type { CachedDirectory } from '../cached-directory.js';
import type { BudgetAbove } from '../driver/budget-above.js';
import type { DurableLog } from '../driver/durable-log.js';
import type { StagesElsewhere } from '../elsewhere/stages-elsewhere.js';
import type { RunQuestions } from '../questions/run-questions.js';
import type { ReplaySource } from '../recording/replay-source.js';
import type { InvalidPipeline } from '../run-options.js';
import type { NewRunLocation } from '../run-parts.js';
import type { RunSettings } from '../run-settings.js';
import type { Levels } from './levels.js';
import type { ScriptUse } from './script-use.js';

/** Position of a child run among other runs (§9.4). */
export interface Lineage extends Levels {
  readonly parent: RunParent;
}

/** Arguments of a run besides its settings, from callers inside of the library. */
export interface RunCall {
  /** Id and directory of a new run, if known already. */
  readonly place?: NewRunLocation;
  /** Notice for people about its text. */
  readonly notice?: string;
  /** Aborting it stops the run at once, regardless of `pauseSignal`, so that it can be resumed. */
  readonly stopSignal?: AbortSignal;
  /** Brings answers to the run; the questions of a child are among those of the run above. */
  readonly questions?: RunQuestions;
  /** Use of the scripts of the run above a child: that of the child continues it. */
  readonly scriptUse?: ScriptUse;
  /** Budget that the runs above a child leave it. */
  readonly budgetAbove?: BudgetAbove;
  /** Keeps the history of the run, and of those below it, elsewhere than in their directories. */
  readonly durableLog?: DurableLog;
  /** Directory of a resumed run that the caller has made of such a history. */
  readonly cache?: CachedDirectory;
  /** Performs attempts of its stages on other machines, if its settings say so. */
  readonly elsewhere?: StagesElsewhere;
  /**
   * Returns the recording for a child, if the run above is played back.
   * @throws ReplayDivergence if there was no such child
   */
  readonly replay?: () => ReplaySource;
  /** Set for a new child. */
  readonly lineage?: Lineage;
  /** True if this process has released the run while it only asked (`onlyAsks`). */
  readonly isWaking?: boolean | undefined;
  /** True if a failed child that is resumed only returns its result; otherwise it continues. */
  readonly leavesFailure?: boolean;
}

/** Starts and resumes runs. Child runs get it as an argument, because they have children of their own. */
export interface RunEngine {
  compile(
    text: string,
    ports: RunSettings['ports'],
    name: string,
    files: PipelineFiles | undefined,
  ): Compilation;
  start(compilation: Compilation, settings: RunSettings, call: RunCall): Promise<RunResult | InvalidPipeline>;
  resume(
    directory: string,
    compilation: Compilation,
    settings: RunSettings,
    call: RunCall,
  ): Promise<RunResult | InvalidPipeline>;
}
