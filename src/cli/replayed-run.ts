import { fieldList } from '../run-directory/recorded-fields.js';
import type { BackendPlan } from '../setup/backend-plan.js';
import { findRun } from '../setup/find-run.js';
import { UsageError } from '../setup/usage-error.js';
import type { Io } from './io.js';
import { argumentName, type CommonArguments } from './run-arguments.js';

/** Plan of a replay, in which the recording replaces the backends. */
export const recordedPlan: BackendPlan = { kind: 'plugin', name: 'replay' };

/** Options that say who does something, or who answers: in a replay, the recording does. */
const without: readonly string[] = [
  'simulate',
  'script',
  'backend',
  'interviewer',
  ...fieldList.flatMap(([, { onReplay, flag }]) =>
    onReplay === 'off' && flag !== undefined ? [argumentName(flag[0])] : [],
  ),
];

/**
 * The directory of the run that a call plays back.
 * @throws UsageError for options that contradict that, RunError `run_not_found`
 */
export function replayedRun(name: string, options: CommonArguments, io: Pick<Io, 'cwd'>): string {
  const given = new Map<string, unknown>(Object.entries(options));
  const contradicting = without.find((option) => given.get(option) !== undefined);
  if (contradicting === undefined) return findRun(name, io.cwd());
  const spelled = contradicting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(
    `--replay takes all answers from the recorded run, so it cannot be combined with --${spelled}`,
  );
}
