import path from 'node:path';
import { compile } from '../compiler/compile.js';
import { childHome } from '../run/children/child-file.js';
import { startContinuing } from '../run/execution.js';
import { absentConsole } from '../run/questions/absent-console.js';
import { waitingInterviewer } from '../run/questions/interviewer.js';
import { readManifest } from '../run-directory/manifest.js';
import { recordedScript } from '../run-directory/manifest-settings.js';
import { readPipeline } from '../run-directory/read-pipeline.js';
import { runFiles } from '../run-directory/run-files.js';
import { planBackend } from '../setup/backend-plan.js';
import { type CallEnvironment, compileOptionsOf, extensionsOfRun } from '../setup/extensions.js';
import { keysFor } from '../setup/keys.js';
import { plugIn } from '../setup/plug-in.js';
import type { PrepareDrive } from './prepare-drive.js';

/**
 * Makes runs ready with what this machine has: its keys, its plugins, its agents. What a run was submitted with is in its manifest.
 * Questions stay open until an answer comes as a message.
 */
export function prepareHere(here: CallEnvironment, onNotice: (message: string) => void): PrepareDrive {
  return async (directory) => {
    const manifest = readManifest(directory);
    const { options, working_directory: workingDirectory, source } = manifest;
    const file = path.join(directory, runFiles.manifest);
    const extensions = await extensionsOfRun(options.extensions, file, {}, here);
    const keys = await keysFor(extensions.settings, here);
    const { graph } = compile(readPipeline(directory), compileOptionsOf(extensions));
    const plan = await planBackend({
      graph,
      extensions,
      workingDirectory,
      variables: keys.variables,
      simulate: options.simulate,
      script: recordedScript(manifest),
      childDirectory: childHome(source ?? undefined, workingDirectory),
    });
    const plugged = await plugIn({ extensions, workingDirectory, isUnattended: true, plan }, absentConsole);
    return {
      start: (durableLog) =>
        startContinuing(
          directory,
          {
            ...plugged.options,
            interviewer: waitingInterviewer,
            secrets: keys.redactor,
            variables: keys.variables,
            onNotice,
          },
          { durableLog },
        ),
      close: () => plugged.close(onNotice),
    };
  };
}
