import path from 'node:path';
import { compile } from '../compiler/compile.js';
import { childHome } from '../run/children/child-file.js';
import { startContinuing } from '../run/execution.js';
import { absentConsole } from '../run/questions/absent-console.js';
import { waitingInterviewer } from '../run/questions/interviewer.js';
import { performAttempt } from '../run/run.js';
import type { ResumeOptions } from '../run/run-options.js';
import { makeDirectory } from '../run-directory/durable-file.js';
import { cacheFileSystem } from '../run-directory/file-system.js';
import { parseManifest, readManifest } from '../run-directory/manifest.js';
import { recordedScript } from '../run-directory/manifest-settings.js';
import { readPipeline } from '../run-directory/read-pipeline.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { runFiles } from '../run-directory/run-files.js';
import { planBackend } from '../setup/backend-plan.js';
import { type CallEnvironment, compileOptionsOf } from '../setup/extensions.js';
import { type Keys, keysFor } from '../setup/keys.js';
import { plugIn } from '../setup/plug-in.js';
import { applyPolicy } from '../setup/policy/apply-policy.js';
import { mayRunCommands, type PolicedRun } from '../setup/policy/policed-run.js';
import { filesHere } from './files-here.js';
import { limitedBackend } from './limits/limited-backend.js';
import type { PreparedDrive, PrepareSubmitted } from './prepare-drive.js';
import { SharedSources } from './shared-sources.js';
import { checkChild, checkPipeline, checkPlace } from './tenant-limits.js';

/** Machine on which runs are made ready. */
export interface WorkerEnvironment extends CallEnvironment {
  /** Whether the pipelines of tenants may run commands. */
  readonly allowTools: boolean;
}

/**
 * Makes runs ready with what this machine has: its keys, its plugins, its agents. What a run was submitted with is in its manifest;
 * a tenant gets of it what a server gives to strangers (§9.5). Questions stay open until an answer comes as a message.
 */
export function prepareHere(here: WorkerEnvironment, onNotice: (message: string) => void): PrepareSubmitted {
  const sources = new SharedSources(here);
  return async (directory, given, { tenant, children }, permits, purpose) => {
    const file = path.join(directory, runFiles.manifest);
    const allowTools = tenant === undefined || here.allowTools;
    const manifest = allowTools ? await filesHere(directory) : readManifest(directory);
    const { options, working_directory: workingDirectory, source } = manifest;
    const { simulate = options.simulate, restricted = options.restricted } = given;
    if (!allowTools && purpose !== 'cancel') {
      checkPlace(directory, manifest, tenant, here);
      for (const child of children) checkChild(parseManifest(child, 'a child of the run'), tenant, here);
    }
    // The server that submitted it has no directory here.
    if (options.restricted === true && purpose !== 'cancel') makeDirectory(workingDirectory);
    const { extensions, compilation } = await sources.of({
      text: readPipeline(directory),
      record: options.extensions,
      manifest: file,
      isTrusted: allowTools,
    });
    const keys = await keysFor(extensions.settings, here);
    if (purpose === 'cancel')
      return preparedToEnd(directory, { given, extensions, compilation, keys, onNotice });
    const policed: PolicedRun = {
      policy: { allowTools, holder: 'worker' },
      extensions,
      simulate,
      isRestricted: restricted === true,
      keptByGit: manifest.git !== undefined,
      variables: keys.variables,
      workingDirectory,
    };
    checkPipeline(compilation, policed);
    const plan = await planBackend({
      graph: compilation.graph,
      extensions,
      workingDirectory,
      variables: keys.variables,
      simulate,
      script: given.script ?? recordedScript(manifest),
      childDirectory: childHome(source ?? undefined, workingDirectory),
      mayRunCommands: mayRunCommands(policed),
    });
    const plugged = await plugIn({ extensions, workingDirectory, isUnattended: true, plan }, absentConsole);
    const { backend } = plugged.options;
    const settings: ResumeOptions = {
      ...given,
      ...applyPolicy(plugged.options, policed),
      backend: backend && limitedBackend(backend, permits),
      interviewer: waitingInterviewer,
      secrets: keys.redactor,
      variables: keys.variables,
      onNotice,
      fileSystem: cacheFileSystem,
    };
    const compileOptions = compileOptionsOf(extensions);
    return {
      compileOptions,
      start: (call) => startContinuing(directory, settings, { ...call, compilation }),
      async perform(place, attempt) {
        if (isSame(place, directory)) return performAttempt(place, settings, attempt, compilation);
        const child = readManifest(place);
        if (!allowTools) checkChild(child, tenant, here);
        const ofChild = compile(readPipeline(place), compileOptions);
        checkPipeline(ofChild, { ...policed, simulate: simulate || child.options.simulate });
        return performAttempt(place, settings, attempt, ofChild);
      },
      close: () => plugged.close(onNotice),
    };
  };
}

interface RunToEnd extends Awaited<ReturnType<SharedSources['of']>> {
  readonly given: RecordedSettings;
  readonly keys: Keys;
  readonly onNotice: (message: string) => void;
}

/** A run that is cancelled: nothing executes its stages, and nobody is asked. */
function preparedToEnd(
  directory: string,
  { given, extensions, compilation, keys, onNotice }: RunToEnd,
): PreparedDrive {
  const settings: ResumeOptions = {
    ...given,
    interviewer: waitingInterviewer,
    secrets: keys.redactor,
    onNotice,
    fileSystem: cacheFileSystem,
  };
  return {
    compileOptions: compileOptionsOf(extensions),
    start: (call) => startContinuing(directory, settings, { ...call, compilation }),
    perform: () => Promise.reject(new Error('a run that is cancelled performs no stage')),
    close: async () => undefined,
  };
}

function isSame(one: string, other: string): boolean {
  return path.resolve(one) === path.resolve(other);
}
