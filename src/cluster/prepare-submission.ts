import type { Compilation } from '../compiler/compile.js';
import { graphHash } from '../journal/graph-hash.js';
import { checkInputs } from '../run/driver/externalize.js';
import type { InvalidPipeline, RunOptions } from '../run/run-options.js';
import { clockOf } from '../run/run-parts.js';
import { parseRunSettings } from '../run/run-settings.js';
import { birthFiles, prepareRun } from '../run/start-run.js';
import { publishFiles } from '../workspaces/keep-files.js';
import type { Submission } from './durable-run.js';
import { filesReachOf, placementOf } from './placement.js';
import { refuseSpread } from './spread/refuse-spread.js';

/**
 * Checks a run as `run` does, and makes of it what workers need.
 * @throws RunError if its settings contradict the pipeline
 */
export async function prepareSubmission(
  compilation: Compilation,
  options: RunOptions,
): Promise<Submission | InvalidPipeline> {
  const settings = parseRunSettings(options);
  const prepared = await prepareRun(compilation, settings, {});
  if ('status' in prepared) return prepared;
  const { program, runId, git, workingDirectory } = prepared;
  const { recorded } = prepared.settings;
  const reach = filesReachOf(program, { simulate: recorded.simulate, remote: git?.remote });
  refuseSpread(recorded, { usesGit: git !== undefined, reach });
  checkInputs(recorded.inputs ?? {});
  await publishFiles(git, runId);
  return {
    runId,
    ...birthFiles(prepared, graphHash(program.graph), clockOf(settings)),
    placement: placementOf(program.graph),
    files: { reach, directory: workingDirectory },
  };
}
