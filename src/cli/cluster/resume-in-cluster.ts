import path from 'node:path';
import type { ClusterRun } from '../../cluster/cluster.js';
import { describeHolder } from '../../run-directory/lock.js';
import { type Manifest, readManifest } from '../../run-directory/manifest.js';
import { RunError } from '../../run-directory/run-error.js';
import { runOwner } from '../../run-directory/run-requests.js';
import type { SettingsData } from '../../run-directory/settings-data.js';
import { UsageError } from '../../setup/usage-error.js';
import { type ContinueArguments, type ContinuedRun, readContinuedRun } from '../continued-run.js';
import { executeRun } from '../execute-run.js';
import { exitCode } from '../exit-code.js';
import type { Interruption } from '../interruption.js';
import type { Io } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';
import { recordedPlan } from '../replayed-run.js';
import { reportInvalid } from '../report-refused.js';
import type { DatabaseArguments } from './database.js';
import type { NamedRun } from './with-run.js';

/** Options of `resume`. */
export interface ResumeArguments extends ContinueArguments, DatabaseArguments {
  readonly from?: string;
}

/**
 * Lets a run of a cluster continue where it stopped, and follows it as `run` does.
 * @throws UsageError, or RunError if the run cannot continue
 */
export async function resumeInCluster(
  { directory, inCluster: run }: NamedRun,
  options: ResumeArguments,
  interruption: Interruption,
  io: Io,
): Promise<number> {
  if (run === undefined) throw new Error('expected a run of a cluster');
  refuseFixed(options, readManifest(directory));
  refuseWhileExecuted(directory);
  const continued = await readContinuedRun(directory, options, io);
  const { source, program, diagnostics } = continued.compilation;
  if (program === undefined) return reportInvalid(source, diagnostics, options, io);
  const settings = await settingsData(continued, options);
  if (options.detach) {
    const { run_id } = continued.manifest;
    // Nothing but the worker that takes it can refuse a new fork.
    if (run.history.isNewFork) await run.send({ kind: 'resume', settings });
    else await letContinue(run, settings);
    io.stdout.write(options.json ? `${terminalJson({ run_id })}\n` : `${run_id}\n`);
    return exitCode.ok;
  }
  const request = {
    program,
    source,
    settings: {},
    extensions: continued.extensions,
    keys: continued.keys,
    interruption,
    sourcePath: undefined,
    directoryOf: () => directory,
    // Workers have the backends.
    plan: recordedPlan,
    findings: [],
    workingDirectory: continued.manifest.working_directory,
    isUnattended: continued.simulate || options.autoApprove === true,
    notes: [],
  };
  return executeRun(
    {
      ...request,
      start: async (common) => {
        const { followRun, resultOfFollowed } = await import('../../cluster/follow-run.js');
        const { seq } = run.history.view;
        // One that has succeeded is left alone, as in a directory.
        const isDone = run.history.view.status === 'success' && options.from === undefined;
        if (!isDone || run.history.isNewFork) await letContinue(run, settings);
        return resultOfFollowed(run, await followRun(run, program, common, seq), path.resolve(directory));
      },
    },
    options,
    io,
  );
}

async function letContinue(run: ClusterRun, settings: SettingsData): Promise<void> {
  const { deliver } = await import('../../cluster/deliver.js');
  const refusal = await deliver(run, { kind: 'resume', settings });
  if (refusal !== undefined) throw new RunError('usage', `the run does not continue: ${refusal}`);
}

/** Settings of the call, as the worker gets them. */
async function settingsData(
  { settings, keys }: ContinuedRun,
  { from, allowTools }: ResumeArguments,
): Promise<SettingsData> {
  const { dataOfSettings } = await import('../../run-directory/settings-data.js');
  const restricted = allowTools ? false : undefined;
  return dataOfSettings({ ...settings, from, restricted }, keys.redactor);
}

/** Options for what was chosen when the run was submitted. */
const fixed = ['backend', 'model', 'provider'] as const;

/** @throws UsageError for options that a resumed run of a cluster cannot heed */
export function refuseFixed(options: ContinueArguments, { options: before }: Manifest): void {
  const own = new Set(before.extensions?.plugins?.map(({ module }) => module));
  const isForeign = options.plugin?.some((module) => !own.has(module)) === true;
  const given = isForeign ? 'plugin' : fixed.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  throw new UsageError(
    `a run of a cluster keeps the backend, the models and the plugins with which it was submitted; leave out --${given}`,
  );
}

/** @throws RunError `run_locked` */
function refuseWhileExecuted(directory: string): void {
  const owner = runOwner(directory);
  if (owner !== undefined)
    throw new RunError(
      'run_locked',
      `this run is being executed by ${describeHolder(owner)}. Wait for it to end, or stop it with \`attractor pause\` or \`attractor cancel\``,
    );
}
