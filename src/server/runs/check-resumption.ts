import path from 'node:path';
import type { JsonValue } from '../../graph/json.js';
import type { Program } from '../../graph/program.js';
import { readJournal } from '../../journal/journal.js';
import { isReached } from '../../machine/budget-reports.js';
import { amountOf, describeUsd, type Usage } from '../../machine/usage.js';
import type { ChosenExtensions } from '../../plugins/load-extensions.js';
import { checkRaisedBudgets, checkStageBudgets } from '../../run/check-budgets.js';
import { checkPipeline } from '../../run/check-pipeline.js';
import { checkStart } from '../../run/check-start.js';
import { checkInputs } from '../../run/driver/externalize.js';
import { readInputs } from '../../run/read-inputs.js';
import { foldJournal } from '../../run/recorded-session.js';
import type { RunBounds } from '../../run/run-options.js';
import type { Manifest } from '../../run-directory/manifest.js';
import { recordedScript } from '../../run-directory/manifest-settings.js';
import { readPipeline } from '../../run-directory/read-pipeline.js';
import { optionsOfBody } from '../../run-directory/recorded-settings.js';
import { RunError } from '../../run-directory/run-error.js';
import { runFiles } from '../../run-directory/run-files.js';
import { keysFor } from '../../setup/keys.js';
import type { Resumption } from '../api/run.js';
import { type JudgedPipeline, judgedPipeline } from '../judging/judged-pipeline.js';
import { judge, type ReadyParts, type RunEnvironment } from './ready-run.js';

/** A run that a request wants to continue, in its directory. */
export interface ResumptionCall {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly request: Resumption;
  /** Extensions with which its pipeline is compiled here. */
  readonly extensions: ChosenExtensions;
  readonly environment: RunEnvironment;
}

export interface CheckedResumption {
  /** Its pipeline; without a program if lint has found an error. */
  readonly judged: JudgedPipeline;
  readonly base: Omit<ReadyParts, 'program'>;
  readonly inputs: Readonly<Record<string, JsonValue>>;
}

/**
 * Checks a request against the run and the policy of this server, and nothing that stages need on the machine which executes them.
 * @throws ProblemError or RunError if they do not fit
 */
export async function checkResumption(call: ResumptionCall): Promise<CheckedResumption> {
  const { directory, manifest, request, extensions, environment } = call;
  const before = manifest.options;
  const keys = await keysFor(extensions.settings, environment.keyring);
  const text = readPipeline(directory);
  const name = path.join(directory, runFiles.pipeline);
  const judged = await judgedPipeline({ text, name, extensions, files: undefined }, environment.judge);
  const { program, graph, source } = judged.compilation;
  checkPipeline(directory, manifest, graph);
  const inputs = readInputs(request.inputs ?? {}).values;
  checkInputs(inputs);
  const { simulate = before.simulate } = request;
  const base: CheckedResumption['base'] = {
    extensions,
    keys,
    simulate,
    environment,
    script: recordedScript(manifest),
    autoApprove: before.auto_approve,
    sourcePath: manifest.source ?? undefined,
    keptByGit: manifest.git !== undefined,
    isRestricted: before.restricted === true,
  };
  if (program !== undefined) {
    checkStart(program, request.from);
    checkBudgets(directory, program, request, environment.options.bounds);
    judge({ ...base, program }, source, manifest.working_directory);
  }
  return { judged, base, inputs };
}

/**
 * Checks the budgets of a request; the journal is read only if there are any.
 * @throws RunError `usage`
 */
function checkBudgets(directory: string, program: Program, request: Resumption, bounds: RunBounds): void {
  const { budgetUsd, budgetTokens, stageBudgets } = optionsOfBody('resumption', request);
  checkStageBudgets(program, stageBudgets);
  if ([budgetUsd, budgetTokens, stageBudgets].every((given) => given === undefined)) return;
  const state = foldJournal(program, readJournal(path.join(directory, runFiles.journal)), directory);
  checkBound(state.totalUsage, bounds);
  checkRaisedBudgets(program, state, { budgetUsd, budgetTokens, stageBudgets });
}

/**
 * Checks that the server lets a run use more than it has used.
 * @throws RunError `usage`
 */
export function checkBound(
  usage: Usage,
  { setBy, budgetUsd: bound = Number.POSITIVE_INFINITY }: RunBounds,
): void {
  const used = amountOf('usd', usage);
  if (!isReached(used, bound)) return;
  throw new RunError(
    'usage',
    `the run has used ${describeUsd(used)}, and this server lets no run use more than ${describeUsd(bound)} (\`${setBy} --budget-usd\`). Nothing was changed. Raise the limit of the server, or resume the run with \`attractor resume\``,
  );
}
