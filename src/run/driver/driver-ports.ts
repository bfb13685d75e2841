import type { ProgramNode } from '../../graph/program.js';
import type { Artifacts } from '../../handlers/artifacts.js';
import type { ChildRequest, ChildRun } from '../../handlers/child-runner.js';
import type { ShouldRetry } from '../../handlers/error-category.js';
import type { Handler, Stage } from '../../handlers/handler.js';
import type { ExecuteEffect } from '../../machine/effect.js';
import type { RunEvent } from '../../machine/event.js';
import type { FidelityMode } from '../../machine/fidelity.js';
import type { RunState } from '../../machine/state.js';
import type { RecordedSettings } from '../../run-directory/recorded-fields.js';
import type { RunStore } from '../../run-directory/run-store.js';
import type { Redactor } from '../../secrets/redactor.js';
import type { Workspace } from '../../workspaces/workspace.js';
import type { StagesElsewhere } from '../elsewhere/stages-elsewhere.js';
import type { RunHistory } from '../preamble/run-history.js';
import type { Interviewer } from '../questions/interviewer.js';
import type { RunQuestions } from '../questions/run-questions.js';
import type { StageText } from '../run-options.js';
import type { BudgetAbove, BudgetForChild } from './budget-above.js';
import type { Clock } from './clock.js';
import type { DurableLog } from './durable-log.js';

/** Ports of the driver. */
export interface DriverPorts {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly interviewer: Interviewer;
  /**
   * Opens questions for other processes; without it, only the interviewer and `Driver.questions` bring
   * answers.
   */
  readonly questions?: Pick<RunQuestions, 'lay'>;
  /** Handler of one attempt. */
  readonly handlerOf: (node: ProgramNode, execution: number) => Handler;
  /** Called with every event once it is in the journal. */
  readonly onEvent: ((event: RunEvent) => void) | undefined;
  /** Called with the text of models as it comes. */
  readonly onText?: ((text: StageText) => void) | undefined;
  readonly artifacts: RunArtifacts;
  /** Past of the run, for stages that receive it; undefined in a pipeline without any. */
  readonly history: Pick<RunHistory, 'add'> | undefined;
  /** Builds the preamble of a stage from that past (§5.4); without it, there is none. */
  readonly preamble?: TellPast;
  readonly settings: RecordedSettings;
  /** Decides before the default predicate if an error may pass (§3.6). */
  readonly shouldRetry?: ShouldRetry;
  /** Removes secrets from everything that enters the run; none if undefined. */
  readonly redactor?: Redactor;
  /** Runs other pipelines for stages. */
  readonly startChild?: StartChild;
  /** Budget that the runs above a child run leave it. */
  readonly budgetAbove?: BudgetAbove;
  /**
   * True if branches share flushes of the journal. Not in virtual time, which would continue during the
   * flush.
   */
  readonly sharesFlushes: boolean;
  /** Keeps the history of the run elsewhere; without one, its directory does. */
  readonly durableLog?: DurableLog;
  /** Performs attempts of stages on other machines. */
  readonly elsewhere?: StagesElsewhere;
  readonly workingDirectory: string;
  /** Workspace of the stages, in a run that keeps their files. */
  readonly workspace?: Workspace;
  readonly graphHash: string;
}

/** Artifacts of a run. */
export interface RunArtifacts extends Artifacts {
  /** Returns when everything stored is on the disk, or in the storage of the run. */
  sync(): void;
}

/**
 * Text before the prompt of a stage.
 * @param continues true if the stage continues the conversation of its thread
 */
export type TellPast = (
  mode: FidelityMode,
  state: RunState,
  effect: ExecuteEffect,
  continues: boolean,
) => Promise<string>;

/**
 * Starts the child run of a stage, or resumes it (§9.4).
 * @param elsewhere makes the port for its own stages, for the directory of the child
 */
export type StartChild = (
  request: ChildRequest,
  stage: Stage,
  budget: BudgetForChild,
  elsewhere?: (directory: string) => StagesElsewhere,
) => ChildRun;
