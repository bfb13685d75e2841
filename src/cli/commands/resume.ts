import { readFileSync } from 'node:fs';
import { hasErrors } from '../../diagnostic/diagnostic.js';
import type { CommonRunOptions } from '../../run/run.js';
import { resumedSimulationNotes } from '../../setup/simulation-notes.js';
import { addDatabaseOption } from '../cluster/database.js';
import type { ResumeArguments } from '../cluster/resume-in-cluster.js';
import { withRun } from '../cluster/with-run.js';
import type { CliCommand } from '../command.js';
import {
  addContinueOptions,
  type ContinuedRun,
  preflightContinued,
  readContinuedRun,
} from '../continued-run.js';
import { Interruption } from '../interruption.js';
import type { Io } from '../io.js';
import { reportRefused } from '../report-refused.js';
import { addCommonOptions } from '../run-arguments.js';

/** `attractor resume RUN`: continues where a run stopped (DESIGN §5, SEMANTICS 89). */
export const resumeCommand: CliCommand<ResumeArguments> = {
  name: 'resume',
  summary: 'Resume a run that was paused, interrupted, cancelled or failed',
  example: 'attractor resume .attractor/runs/20260131-120000-Example-k3x7qa',
  configure: (command) =>
    addContinueOptions(
      addCommonOptions(
        addDatabaseOption(command)
          .argument('<run>', 'a run id, or a path to a run directory')
          .option('--from <node>', 'resume at this node instead of where the run stopped'),
      ),
    ),
  run: ([name = ''], options, io) =>
    Interruption.during(io, 'the run was not resumed, and nothing was changed', (interruption) =>
      withRun(name, options, io, async (run) => {
        if (run.inCluster === undefined) return continueRun(run.directory, options, interruption, io);
        const { resumeInCluster } = await import('../cluster/resume-in-cluster.js');
        return resumeInCluster(run, options, interruption, io);
      }),
    ),
};

/** Continues with the run in a directory. */
export async function continueRun(
  directory: string,
  options: ResumeArguments,
  interruption: Interruption,
  io: Io,
): Promise<number> {
  const { checkPipeline } = await import('../../run/check-pipeline.js');
  const { readManifest } = await import('../../run-directory/manifest.js');
  const { refuseCopy } = await import('../../run-directory/copied-run.js');
  // Before anything that the rest of the run would need here.
  refuseCopy(directory, readManifest(directory));
  const continued = await readContinuedRun(directory, options, io);
  const { manifest, extensions, keys, compilation, settings, script, simulate, policed } = continued;
  const { source, graph, program, diagnostics } = compilation;
  checkPipeline(directory, manifest, graph);
  const { findings, plan } = await preflightContinued(continued, options.from);
  if (program === undefined || hasErrors(findings))
    return reportRefused(
      { source, diagnostics: program === undefined ? diagnostics : [], findings },
      options,
      io,
    );
  const before = manifest.options;
  const { autoApprove = before.auto_approve, seed = before.seed } = options;
  const { resume } = await import('../../run/run.js');
  const { executeRun } = await import('../execute-run.js');
  return executeRun(
    {
      program,
      source,
      settings,
      extensions,
      interruption,
      sourcePath: fileWith(source.text, manifest.source),
      directoryOf: () => directory,
      plan,
      findings,
      keys,
      workingDirectory: manifest.working_directory,
      isUnattended: simulate || autoApprove,
      notes: resumedSimulationNotes(
        { script, simulate, seed },
        { simulate: before.simulate, isScriptKept: settings.script === undefined },
      ),
      start: async (common) =>
        resume(directory, {
          ...(await policedOptions(common, policed)),
          from: options.from,
          restricted: options.allowTools ? false : undefined,
        }),
    },
    options,
    io,
  );
}

/** The file that the run was started with, if it still has this text. */
function fileWith(text: string, file: string | null): string | undefined {
  try {
    return file !== null && readFileSync(file, 'utf8') === text ? file : undefined;
  } catch {
    return undefined;
  }
}

async function policedOptions(
  options: CommonRunOptions,
  policed: ContinuedRun['policed'],
): Promise<CommonRunOptions> {
  if (policed === undefined) return options;
  const { applyPolicy } = await import('../../setup/policy/apply-policy.js');
  return applyPolicy(options, policed);
}
