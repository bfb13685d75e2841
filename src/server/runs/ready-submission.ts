import type { Compilation } from '../../compiler/compile.js';
import type { SourceText } from '../../diagnostic/source.js';
import { graphAttribute } from '../../graph/attributes.js';
import type { Program } from '../../graph/program.js';
import { unsupportedFeatures } from '../../graph/unsupported-features.js';
import { withHandlerTypes } from '../../graph/with-handler-types.js';
import { checkStageBudgets } from '../../run/check-budgets.js';
import { checkInputs } from '../../run/driver/externalize.js';
import { start } from '../../run/execution.js';
import { readInputs } from '../../run/read-inputs.js';
import { refuseSecrets } from '../../run/refuse-secrets.js';
import type { RunOptions } from '../../run/run-options.js';
import { checkScript, checkSeed } from '../../run/simulate/check-script.js';
import { makeDirectory } from '../../run-directory/durable-file.js';
import { optionsOfBody } from '../../run-directory/recorded-settings.js';
import { emptyScript, readScript } from '../../run-directory/simulation-script.js';
import { redactedSource } from '../../secrets/redact-source.js';
import type { Redactor } from '../../secrets/redactor.js';
import { extensionsFor } from '../../setup/extensions.js';
import { type Keys, keysFor } from '../../setup/keys.js';
import { registryOf } from '../../setup/plug-in.js';
import { describeFinding } from '../../setup/preflight/finding.js';
import type { Submission } from '../api/run.js';
import { diagnosticsJson } from '../diagnostics-json.js';
import { invalidPipeline } from '../judging/invalid-pipeline.js';
import type { JudgeRequest } from '../judging/judge-pipeline.js';
import { judgedPipeline } from '../judging/judged-pipeline.js';
import type { ServerOptions } from '../server-options.js';
import { checkReady } from './check-ready.js';
import { withProblems } from './problem-of.js';
import {
  judge,
  launchWith,
  type ReadyParts,
  type ReadyRun,
  type RunEnvironment,
  type ServerRunLocation,
} from './ready-run.js';
import { workPlace } from './server-files.js';

/** A submitted pipeline that may run (§9.5). */
export interface ReadySubmission extends ReadyRun {
  readonly name: string;
  readonly goal: string;
  /** Request in a form that may be stored: without secrets. */
  readonly submission: Submission;
  /** The checked pipeline. */
  readonly compilation: Compilation;
  /** Settings of the run, as they are recorded; `workingDirectory` without commands is one of its own. */
  readonly settings: (place: ServerRunLocation) => RunOptions & { readonly workingDirectory: string };
  readonly keys: Keys;
  /** Remarks for the log of the run. */
  readonly notices: readonly string[];
}

/**
 * Checks all of a submission that can be checked before anything runs, by what the server is configured with.
 * @param isSubmitted true if the workers of a cluster execute the run
 * @throws ProblemError `invalid_pipeline`, `not_allowed` or `bad_request`
 */
export function readySubmission(
  submission: Submission,
  environment: RunEnvironment,
  isSubmitted = false,
): Promise<ReadySubmission> {
  return withProblems(() => checked(submission, environment, isSubmitted));
}

async function checked(
  given: Submission,
  environment: RunEnvironment,
  isSubmitted: boolean,
): Promise<ReadySubmission> {
  const { options } = environment;
  const configured = options.extensions;
  const extensions = await extensionsFor(
    '-',
    {
      ...configured,
      backend: given.backend || configured.backend,
      provider: given.provider || configured.provider,
      model: given.model || configured.model,
    },
    { cwd: () => options.workingDirectory, env: options.variables },
  );
  const keys = await keysFor(extensions.settings, environment.keyring);
  const { redactor } = keys;
  const { text, notice } = redactedSource(given.dot, redactor);
  const name = 'pipeline.dot';
  const files = filesOf(options, redactor);
  const judged = await judgedPipeline({ text, name, extensions, files }, environment.judge);
  const { compilation } = judged;
  const { simulate = false, auto_approve: autoApprove = false, seed } = given;
  const script = given.script === undefined ? emptyScript : readScript(given.script, 'of the request');
  const inputs = readInputs({ ...script.inputs, ...given.inputs }).values;
  checkInputs(inputs);
  const base: Omit<ReadyParts, 'program'> = { extensions, keys, script, simulate, autoApprove, environment };
  if (compilation.program !== undefined) {
    const { program } = compilation;
    checkScript(program, script);
    checkSeed(seed, simulate);
    checkStageBudgets(program, given.stage_budgets);
    refuseSecrets(program.graph, redactor);
    await checkHandlers(program, base, compilation.source);
    judge({ ...base, program }, compilation.source, options.workingDirectory);
  }
  const { program, warnings } = await checkReady(judged, base, options.workingDirectory, {
    inputs,
    isSubmitted,
    areFilesLinted: true,
  });
  const parts: ReadyParts = { ...base, program };
  const submission: Submission = { ...redactor.json(given), dot: text };
  const { allowTools } = options.policy;
  const settings: ReadySubmission['settings'] = ({ id, directory }) => ({
    ...optionsOfBody('submission', submission),
    runId: id,
    runDirectory: directory,
    workingDirectory: allowTools ? options.workingDirectory : workPlace(directory),
    script,
    extensions: extensions.record,
    defaultBudgetUsd: extensions.defaultBudgetUsd,
    git: allowTools ? undefined : false,
    restricted: allowTools ? undefined : true,
  });
  const notices = [...(notice === undefined ? [] : [notice]), ...warnings.map(describeFinding)];
  return {
    program,
    submission,
    compilation,
    settings,
    keys,
    notices,
    name: program.graph.name,
    goal: graphAttribute(program.graph, 'goal'),
    launch: (place, ports) => {
      const given = settings(place);
      makeDirectory(given.workingDirectory);
      for (const remark of notices) ports.onNotice(remark);
      return launchWith(parts, given.workingDirectory, ports, (plugged) =>
        start(compilation, { ...plugged, ...given }),
      );
    },
  };
}

/**
 * Files that a submitted text may name. Where pipelines run commands, they can read any file anyway. Where
 * they do not, the run begins in an empty directory, so that every file is missing: the file system is not
 * asked, and the answer says nothing about it.
 */
function filesOf(
  { policy, workingDirectory: directory }: ServerOptions,
  { literals, names }: Redactor,
): JudgeRequest['files'] {
  return policy.allowTools ? { directory, secrets: { literals, names } } : 'missing';
}

/** @throws ProblemError `invalid_pipeline` for a stage that nothing here can execute */
async function checkHandlers(
  program: Program,
  { extensions }: Pick<ReadyParts, 'extensions'>,
  source: SourceText,
): Promise<void> {
  const registry = await registryOf(extensions);
  const resolved = withHandlerTypes(program, registry.types);
  const diagnostics = unsupportedFeatures(resolved, registry.handlers(undefined));
  if (diagnostics.length > 0) throw invalidPipeline(diagnosticsJson(diagnostics, source), diagnostics.length);
}
