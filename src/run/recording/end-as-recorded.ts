import type { RunResult } from '../../view/run-result.js';
import { type CancelEnvironment, type CompileRun, cancelRun } from '../cancel-run.js';
import { recordedEnd } from './recorded-path.js';
import type { ReplaySource } from './replay-source.js';

/**
 * Ends a replay as recorded: if the recorded run was cancelled, and not resumed, the replay, which has
 * stopped at the same point, is cancelled too (SEMANTICS 76).
 * @param compile returns the pipeline of the run in a directory
 */
export async function endAsRecorded(
  result: RunResult,
  source: ReplaySource | undefined,
  compile: CompileRun,
  environment: CancelEnvironment,
): Promise<RunResult> {
  if (source === undefined || result.status !== 'paused') return result;
  const { recorded, watch } = source;
  if (watch.divergence !== undefined || recordedEnd(recorded.events).status !== 'cancelled') return result;
  return cancelRun(result.run_dir, compile, environment);
}
