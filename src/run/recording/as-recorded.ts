import type { Manifest } from '../../run-directory/manifest.js';
import { emptyScript, type SimulationScript } from '../../run-directory/simulation-script.js';
import type { Clock } from '../driver/clock.js';
import type { Interviewer } from '../questions/interviewer.js';
import { scriptOf } from '../resume-run.js';
import { virtualClock } from '../simulate/virtual-clock.js';
import { hasLiftedBudgets } from './lifted-budgets.js';
import { replayInterviewer } from './replay-interviewer.js';
import type { ReplaySource } from './replay-source.js';

/** What a replay takes from the run that it plays back, where it is not told otherwise. */
interface Repeated {
  readonly simulate?: boolean;
  readonly autoApprove?: boolean;
  readonly script?: SimulationScript;
  readonly answers?: ReadonlyMap<string, readonly string[]>;
  readonly inputs?: Manifest['inputs'];
  readonly strictValues?: boolean;
  readonly customOutcomes?: boolean;
  readonly maxSteps?: number;
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
  readonly clock?: Clock;
  readonly interviewer?: Interviewer;
  readonly record?: boolean;
  readonly git?: boolean;
}

/**
 * The options of a run that plays another one back: as that was started, with the answers that people gave, on a clock on
 * which nothing takes time, and without git, because no file is changed.
 */
export function asRecorded<Options extends Repeated>(options: Options, source: ReplaySource): Options {
  const { manifest } = source.recorded;
  const { options: before } = manifest;
  const script = options.script ?? scriptOf(manifest);
  return {
    ...limitsOf(before, hasLiftedBudgets(source.recorded.events)),
    inputs: manifest.inputs,
    simulate: before.simulate,
    strictValues: before.strict_values ?? false,
    customOutcomes: before.custom_outcomes ?? false,
    ...answeredAsRecorded(options, source),
    script: { nodes: script.nodes, answers: emptyScript.answers },
  };
}

/** The same for a replay that goes on, of which the manifest says the rest. */
export function answeredAsRecorded<Options extends Repeated>(
  options: Options,
  { recorded }: ReplaySource,
): Options {
  return {
    clock: virtualClock(),
    ...options,
    // The journal says what was answered, whoever did.
    answers: emptyScript.answers,
    interviewer: replayInterviewer(recorded.events),
    autoApprove: false,
    record: false,
    git: false,
  };
}

function limitsOf(
  before: Manifest['options'],
  withoutBudgets: boolean,
): Pick<Repeated, 'maxSteps' | 'budgetUsd' | 'budgetTokens'> {
  const steps = before.max_steps !== undefined && { maxSteps: before.max_steps };
  if (withoutBudgets) return { ...steps };
  return {
    ...steps,
    ...(before.budget_usd !== undefined && { budgetUsd: before.budget_usd }),
    ...(before.budget_tokens !== undefined && { budgetTokens: before.budget_tokens }),
  };
}
