import type { Severity } from '../../diagnostic/diagnostic.js';
import type { Inputs } from '../../graph/values/declared-inputs.js';
import type { BackendPlan } from '../backend-plan.js';
import type { PlannedPipeline, PlannedRun, PlannedStage } from './planned-pipelines.js';

/** One thing that is looked at before a run begins: a row of the list in `checks/index.ts`. */
export interface PreflightCheck {
  readonly id: string;
  /** What it finds, for the documentation. */
  readonly summary: string;
  /** True if it looks at stages that would do real work, so that it does not concern a simulation. */
  readonly isAboutRealWork: boolean;
  /** True if it looks at the machine that executes the run: its keys, programs and variables. */
  readonly isAboutMachine: boolean;
  find(run: PreflightRun): Iterable<CheckFinding>;
}

/** Finding of a check. */
export interface CheckFinding {
  readonly severity: Severity;
  readonly stages?: readonly string[];
  readonly message: string;
  readonly help?: string;
}

/** Run with all that checks ask. */
export interface PreflightRun extends PlannedRun {
  /** Inputs of the call, with those of the resumed run; undefined if nobody has given any yet. */
  readonly inputs?: Inputs | undefined;
  /** Variables of the key file that tools do not inherit. */
  readonly hiddenVariables?: ReadonlySet<string>;
  /** True if the workers of a cluster execute the run, which have keys and programs of their own. */
  readonly isSubmitted?: boolean | undefined;
  /** True if lint has looked at the files of children. */
  readonly areFilesLinted: boolean;
  readonly pipelines: readonly PlannedPipeline[];
  readonly plan: BackendPlan;
}

/** All stages of a run that may do work, those of its children included. */
export function stagesOf({ pipelines }: PreflightRun): readonly PlannedStage[] {
  return pipelines.flatMap(({ stages }) => stages);
}

/** One finding for all stages with the same message. */
export function* foundTogether(
  said: Iterable<readonly [message: string, stage: string]>,
  rest: Pick<CheckFinding, 'severity' | 'help'>,
): Iterable<CheckFinding> {
  const stages = new Map<string, string[]>();
  for (const [message, stage] of said) stages.set(message, [...(stages.get(message) ?? []), stage]);
  for (const [message, ids] of stages) yield { ...rest, message, stages: ids };
}
