import path from 'node:path';
import { diagnosticToJson } from '../../diagnostic/render-json.js';
import { findConfiguration, findUserConfiguration } from '../../plugins/find-configuration.js';
import type { ChosenExtensions } from '../../plugins/load-extensions.js';
import { extensionsFor } from '../../setup/extensions.js';
import { keysFor } from '../../setup/keys.js';
import type { Preflight } from '../../setup/preflight/preflight.js';
import type { Probe } from '../../setup/probe-models.js';
import { UsageError } from '../../setup/usage-error.js';
import { addDatabaseOption, type DatabaseArguments, databaseIfAny } from '../cluster/database.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { addExtensionOptions } from '../extension-options.js';
import { type Io, terminalWidth, usesColor } from '../io.js';
import type { DoctorReport } from '../output/render-doctor.js';
import { terminalJson } from '../output/terminal-json.js';
import { preflightOf, type RunCall, readRunCall } from '../read-run-call.js';
import { redactingIo } from '../redacting-io.js';
import { refusedStatus } from '../report-refused.js';
import { addInputOptions, addModelOptions, type CommonArguments } from '../run-arguments.js';

interface DoctorArguments extends CommonArguments, DatabaseArguments {
  readonly probe?: true;
}

/** `attractor doctor [FILE]`: what this machine has, and its cluster, and what a pipeline lacks to run (SEMANTICS 121). */
export const doctorCommand: CliCommand<DoctorArguments> = {
  name: 'doctor',
  summary: 'Show what this machine has for pipelines, and what a pipeline lacks',
  example: 'attractor doctor pipeline.dot --probe',
  configure: (command) =>
    addDatabaseOption(
      addInputOptions(
        addModelOptions(
          addExtensionOptions(
            command.argument(
              '[file]',
              'the pipeline; - reads standard input; without one, only this machine',
            ),
          ),
        ),
      ),
    )
      .option('--probe', 'ask each model that is called directly for one word')
      .option('--json', 'print the report as JSON'),
  async run([file], options, plainIo) {
    const call = file === undefined ? undefined : await readRunCall(file, options, plainIo);
    const extensions = call?.extensions ?? (await extensionsFor('-', options, plainIo));
    const keys = call?.keys ?? (await keysFor(extensions.settings, plainIo));
    const io = redactingIo(plainIo, keys.redactor);
    const { examineMachine } = await import('../../setup/machine/examine-machine.js');
    const facts = await examineMachine({
      directory: io.cwd(),
      extensions,
      configurations: configurationsOf(file, options, io),
      keys,
      environment: io.env,
    });
    const database = databaseIfAny(options, io);
    const checked = call && (await preflightOf(call, io.cwd(), { areInputsKnown: areInputsGiven(options) }));
    const report: DoctorReport = {
      facts,
      pipeline: call && checked && { ...call.compilation, findings: checked.findings },
      cluster: database === undefined ? undefined : await clusterFacts(database),
      probes: options.probe ? await probeAll(checked, extensions, keys.variables) : undefined,
    };
    await print(report, options, io);
    return statusOf(report);
  },
};

async function clusterFacts(database: string): Promise<DoctorReport['cluster']> {
  const { examineCluster } = await import('../cluster/examine-cluster.js');
  return examineCluster(database);
}

/** Without them the report lists the inputs that a run will need. */
function areInputsGiven({ set, inputs }: DoctorArguments): boolean {
  return set !== undefined || inputs !== undefined;
}

function configurationsOf(file: string | undefined, { config }: DoctorArguments, io: Io): readonly string[] {
  if (config === false) return [];
  const directory = file === undefined || file === '-' ? '.' : path.dirname(file);
  const project =
    config === undefined
      ? findConfiguration(path.resolve(io.cwd(), directory)).file
      : path.resolve(io.cwd(), config);
  const found = new Set([findUserConfiguration(io.env).file, project]);
  return [...found].filter((one) => one !== undefined);
}

/** @throws UsageError if there is neither a pipeline nor a default model */
async function probeAll(
  checked: Preflight | undefined,
  { settings }: ChosenExtensions,
  variables: RunCall['keys']['variables'],
): Promise<readonly Probe[]> {
  const { probedModels, probeModels } = await import('../../setup/probe-models.js');
  const { probeModel } = await import('../../backends/ai/probe-model.js');
  const { findProvider } = await import('../../backends/ai/find-provider.js');
  const { systemClock } = await import('../../run/driver/clock.js');
  if (checked !== undefined) return probeModels(probedModels(checked.plan), probeModel, systemClock);
  const { provider, model } = settings;
  const reading = findProvider({ provider, model, reasoningEffort: '' }, { settings, variables });
  if (reading.kind === 'found') return probeModels([reading.address], probeModel, systemClock);
  throw new UsageError(
    `--probe has no model to ask: ${reading.problem}. Name a pipeline, or --provider and --model`,
  );
}

async function print(report: DoctorReport, { json }: DoctorArguments, io: Io): Promise<void> {
  const { facts, cluster, pipeline, probes } = report;
  if (json) {
    const checked = pipeline && {
      file: pipeline.source.name,
      diagnostics: pipeline.diagnostics.map((one) => diagnosticToJson(one, pipeline.source)),
      findings: pipeline.findings,
    };
    io.stdout.write(`${terminalJson({ ...facts, cluster, pipeline: checked, probes }, 2)}\n`);
    return;
  }
  const { renderDoctor } = await import('../output/render-doctor.js');
  const { stdout } = io;
  io.stdout.write(renderDoctor(report, { color: usesColor(io, stdout), width: terminalWidth(io, stdout) }));
}

/** 1 if lint has an error, 2 if the pipeline lacks something or the machine or its cluster has a problem, else 0. */
function statusOf({ facts, cluster = [], pipeline, probes = [] }: DoctorReport): number {
  const status = pipeline === undefined ? exitCode.ok : refusedStatus(pipeline);
  const isBroken =
    [...facts.machine, ...cluster].some(({ state }) => state === 'problem') ||
    probes.some(({ state }) => state === 'failed');
  return status === exitCode.ok && isBroken ? exitCode.usage : status;
}
