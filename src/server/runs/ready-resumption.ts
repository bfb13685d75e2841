import path from 'node:path';
import { startResuming } from '../../run/execution.js';
import { refuseCopy } from '../../run-directory/copied-run.js';
import { type Manifest, readManifest } from '../../run-directory/manifest.js';
import { optionsOfBody } from '../../run-directory/recorded-settings.js';
import { runFiles } from '../../run-directory/run-files.js';
import { extensionsOfRun } from '../../setup/extensions.js';
import { describeFinding } from '../../setup/preflight/finding.js';
import { stagesLeft } from '../../setup/preflight/stages-left.js';
import type { Resumption } from '../api/run.js';
import { checkReady } from './check-ready.js';
import { checkResumption } from './check-resumption.js';
import { withProblems } from './problem-of.js';
import { launchWith, type ReadyParts, type ReadyRun, type RunEnvironment } from './ready-run.js';

/** A run that may continue (§5.3). */
export interface ReadyResumption extends ReadyRun {
  /** Request in a form that may be stored: without secrets. */
  readonly resumption: Resumption;
}

/**
 * Checks that a run can continue (§5.3), with the settings that it was started with, whoever started it.
 * @throws ProblemError `not_allowed`, `bad_request`, or `conflict` for a run that is damaged
 */
export function readyResumption(
  directory: string,
  request: Resumption,
  environment: RunEnvironment,
): Promise<ReadyResumption> {
  return withProblems(() => checked(directory, request, environment));
}

async function checked(
  directory: string,
  request: Resumption,
  environment: RunEnvironment,
): Promise<ReadyResumption> {
  const manifest = readManifest(directory);
  refuseCopy(directory, manifest);
  const extensions = await extensionsOf(directory, manifest, environment);
  const call = { directory, manifest, request, extensions, environment };
  const { judged, base, inputs } = await checkResumption(call);
  const { program: compiled } = judged.compilation;
  const workingDirectory = manifest.working_directory;
  const { program, warnings } = await checkReady(judged, base, workingDirectory, {
    inputs: { ...manifest.inputs, ...inputs },
    areFilesLinted: false,
    stagesLeft: () => compiled && stagesLeft(directory, compiled, request.from),
  });
  const parts: ReadyParts = { ...base, program };
  return {
    program,
    resumption: base.keys.redactor.json(request),
    launch: (_place, ports) => {
      for (const warning of warnings) ports.onNotice(describeFinding(warning));
      return launchWith(parts, workingDirectory, ports, (plugged) =>
        startResuming(directory, { ...plugged, ...optionsOfBody('resumption', request) }),
      );
    },
  };
}

/** Extensions that a run was started with, for the use of its pipeline. */
export function extensionsOf(directory: string, manifest: Manifest, { options }: RunEnvironment) {
  const file = path.join(directory, runFiles.manifest);
  const place = { cwd: () => options.workingDirectory, env: options.variables };
  return extensionsOfRun(manifest.options.extensions, file, {}, place);
}
