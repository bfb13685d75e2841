import path from 'node:path';
import type { Program } from '../../graph/program.js';
import { readJournal } from '../../journal/journal.js';
import { isReached } from '../../machine/budget-reports.js';
import { amountOf, describeUsd } from '../../machine/usage.js';
import { checkRaisedBudgets, checkStageBudgets } from '../../run/check-budgets.js';
import { checkPipeline } from '../../run/check-pipeline.js';
import { checkStart } from '../../run/check-start.js';
import { checkInputs } from '../../run/driver/externalize.js';
import { startResuming } from '../../run/execution.js';
import { readInputs } from '../../run/read-inputs.js';
import { foldJournal } from '../../run/recorded-session.js';
import type { RunBounds } from '../../run/run-options.js';
import { type Manifest, readManifest } from '../../run-directory/manifest.js';
import { recordedScript } from '../../run-directory/manifest-settings.js';
import { readPipeline } from '../../run-directory/read-pipeline.js';
import { optionsOfBody } from '../../run-directory/recorded-settings.js';
import { RunError } from '../../run-directory/run-error.js';
import { runFiles } from '../../run-directory/run-files.js';
import { extensionsOfRun } from '../../setup/extensions.js';
import { keysFor } from '../../setup/keys.js';
import { describeFinding } from '../../setup/preflight/finding.js';
import { stagesLeft } from '../../setup/preflight/stages-left.js';
import type { Resumption } from '../api/run.js';
import { judgedPipeline } from '../judging/judged-pipeline.js';
import { checkReady } from './check-ready.js';
import { withProblems } from './problem-of.js';
import { judge, launchWith, type ReadyParts, type ReadyRun, type RunEnvironment } from './ready-run.js';

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
  const before = manifest.options;
  const extensions = await extensionsOf(directory, manifest, environment);
  const keys = await keysFor(extensions.settings, environment.keyring);
  const text = readPipeline(directory);
  const name = path.join(directory, runFiles.pipeline);
  const judged = await judgedPipeline({ text, name, extensions, files: undefined }, environment.judge);
  const { compilation } = judged;
  checkPipeline(directory, manifest, compilation.graph);
  const inputs = readInputs(request.inputs ?? {}).values;
  checkInputs(inputs);
  const script = recordedScript(manifest);
  const { simulate = before.simulate } = request;
  const base: Omit<ReadyParts, 'program'> = {
    extensions,
    keys,
    script,
    simulate,
    environment,
    autoApprove: before.auto_approve,
    sourcePath: manifest.source ?? undefined,
    keptByGit: manifest.git !== undefined,
    isRestricted: before.restricted === true,
  };
  const workingDirectory = manifest.working_directory;
  const { program: compiled } = compilation;
  if (compiled !== undefined) {
    checkStart(compiled, request.from);
    checkBudgets(directory, compiled, request, environment.options.bounds);
    judge({ ...base, program: compiled }, compilation.source, workingDirectory);
  }
  const { program, warnings } = await checkReady(judged, base, workingDirectory, {
    inputs: { ...manifest.inputs, ...inputs },
    areFilesLinted: false,
    stagesLeft: () => compiled && stagesLeft(directory, compiled, request.from),
  });
  const parts: ReadyParts = { ...base, program };
  return {
    program,
    resumption: keys.redactor.json(request),
    launch: (_place, ports) => {
      for (const warning of warnings) ports.onNotice(describeFinding(warning));
      return launchWith(parts, workingDirectory, ports, (plugged) =>
        startResuming(directory, { ...plugged, ...optionsOfBody('resumption', request) }),
      );
    },
  };
}

/**
 * Checks the budgets of a request; the journal is read only if there are any.
 * @throws RunError `usage`
 */
function checkBudgets(
  directory: string,
  program: Program,
  request: Resumption,
  { setBy, budgetUsd: bound = Number.POSITIVE_INFINITY }: RunBounds,
): void {
  const { budgetUsd, budgetTokens, stageBudgets } = optionsOfBody('resumption', request);
  checkStageBudgets(program, stageBudgets);
  if ([budgetUsd, budgetTokens, stageBudgets].every((given) => given === undefined)) return;
  const state = foldJournal(program, readJournal(path.join(directory, runFiles.journal)), directory);
  const used = amountOf('usd', state.totalUsage);
  if (isReached(used, bound))
    throw new RunError(
      'usage',
      `the run has used ${describeUsd(used)}, and this server lets no run use more than ${describeUsd(bound)} (\`${setBy} --budget-usd\`). Nothing was changed. Raise the limit of the server, or resume the run with \`attractor resume\``,
    );
  checkRaisedBudgets(program, state, { budgetUsd, budgetTokens, stageBudgets });
}

/** Extensions that a run was started with, for the use of its pipeline. */
export function extensionsOf(directory: string, manifest: Manifest, { options }: RunEnvironment) {
  const file = path.join(directory, runFiles.manifest);
  const place = { cwd: () => options.workingDirectory, env: options.variables };
  return extensionsOfRun(manifest.options.extensions, file, {}, place);
}
