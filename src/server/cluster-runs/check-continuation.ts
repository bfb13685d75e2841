import path from 'node:path';
import type { Program } from '../../graph/program.js';
import type { ChosenExtensions } from '../../plugins/load-extensions.js';
import { type Manifest, readManifest } from '../../run-directory/manifest.js';
import { runFiles } from '../../run-directory/run-files.js';
import type { Keys } from '../../setup/keys.js';
import { extensionsForTenant } from '../../setup/policy/extensions-for-tenant.js';
import type { Resumption } from '../api/run.js';
import { invalidPipeline } from '../judging/invalid-pipeline.js';
import { checkResumption } from '../runs/check-resumption.js';
import { withProblems } from '../runs/problem-of.js';
import type { ClusterParts } from './cluster-parts.js';
import { directoryOf } from './look-at-runs.js';

/** A run of a cluster that may continue as a request wants. */
export interface CheckedContinuation {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly program: Program;
  readonly extensions: ChosenExtensions;
  readonly keys: Keys;
}

/**
 * Checks that a run of a cluster may continue, or be forked, as a server checks a run of its own; workers look at what its stages need.
 * Plugins that only the run names are not loaded: whoever submits may name any file.
 * @throws ProblemError `not_allowed`, `invalid_pipeline`, `bad_request`, or `conflict` for a run that is damaged
 */
export function checkContinuation(
  parts: ClusterParts,
  id: string,
  request: Resumption,
): Promise<CheckedContinuation> {
  const { environment } = parts;
  const { options } = environment;
  const directory = directoryOf(parts, id);
  return withProblems(async () => {
    const manifest = readManifest(directory);
    const extensions = await extensionsForTenant(
      manifest.options.extensions,
      path.join(directory, runFiles.manifest),
      { cwd: () => options.workingDirectory, env: options.variables },
      { holder: 'server', plugin: options.extensions.plugin, config: options.extensions.config },
    );
    const call = { directory, manifest, request, extensions, environment };
    const { judged, base } = await checkResumption(call);
    const { program } = judged.compilation;
    if (program === undefined) throw invalidPipeline(judged.diagnostics, judged.errors);
    return { directory, manifest, program, extensions, keys: base.keys };
  });
}
