import path from 'node:path';
import { noBackendSettings } from '../backends/no-settings.js';
import type { CompileOptions } from '../compiler/compile.js';
import type { HandlerType } from '../graph/handler-types.js';
import { describedHandlerType } from '../graph/known-handler-types.js';
import type { ProgramNode } from '../graph/program.js';
import type { NamedProperty } from '../graph/properties/monitor.js';
import type { RuleSetting } from '../lint/rule-settings.js';
import { findConfiguration, findUserConfiguration } from '../plugins/find-configuration.js';
import type { ChosenExtensions, ExtensionRequest } from '../plugins/load-extensions.js';
import type { PluginReference } from '../plugins/load-plugins.js';
import type { ExtensionRecord } from '../run-directory/extension-record.js';
import type { Variables } from '../secrets/find-secrets.js';
import { builtInInterviewers } from './interviewers.js';
import { locateFile } from './locate-file.js';

/** Options that load extensions. */
export interface ExtensionArguments {
  readonly plugin?: readonly string[];
  /** File, or false for none. */
  readonly config?: string | false;
  readonly backend?: string;
  readonly interviewer?: string;
  /** Default for stages that name none. */
  readonly provider?: string;
  readonly model?: string;
  /** Severities of rules that the call sets. */
  readonly rule?: ReadonlyMap<string, RuleSetting>;
}

/** Environment of a command. */
export interface CallEnvironment {
  /** Current directory, to which names are relative. */
  cwd(): string;
  readonly env: Variables;
  /** Receives remarks about the configuration. */
  readonly stderr?: { write(text: string): unknown };
}

/** Backend name that chooses one of our own for each stage, and fails those without one. */
export const autoBackendName = 'auto';

/** Names that `--backend` takes without a plugin. */
export async function builtInBackendNames(): Promise<readonly string[]> {
  const { builtInBackends } = await import('../backends/index.js');
  return [autoBackendName, ...builtInBackends.map(({ name }) => name)];
}

const noExtensions: ChosenExtensions = {
  handlers: [],
  transforms: [],
  rules: [],
  interviewers: new Map(),
  backends: new Map(),
  notices: [],
  settings: noBackendSettings,
  ruleSettings: new Map(),
  properties: [],
  record: undefined,
};

/**
 * Extensions of the call and the configuration file for a pipeline. The file is searched from the directory
 * of the pipeline upwards; for standard input from the current one.
 */
export async function extensionsFor(
  pipeline: string,
  args: ExtensionArguments,
  io: CallEnvironment,
): Promise<ChosenExtensions> {
  const directory = pipeline === '-' ? io.cwd() : path.resolve(io.cwd(), path.dirname(pipeline));
  const file = args.config === undefined ? foundConfiguration(directory, io) : args.config;
  if (file === false) return load(withArguments(undefined, args, io));
  const project = file === undefined ? undefined : await configuredRequest(file, io);
  return load(withArguments(await onUserConfiguration(project, file, io), args, io));
}

/** Request of a call, on that of the configuration which the user keeps for all pipelines. */
async function onUserConfiguration(
  request: ExtensionRequest | undefined,
  projectFile: string | undefined,
  io: CallEnvironment,
): Promise<ExtensionRequest | undefined> {
  const { file, ignored } = findUserConfiguration(io.env);
  for (const remark of ignored) io.stderr?.write(`attractor: ${remark}\n`);
  if (file === undefined || file === projectFile) return request;
  const { combineRequests } = await import('../plugins/load-extensions.js');
  return combineRequests(await configuredRequest(file, io), request);
}

/**
 * Reports ignored files, and the chosen one unless it is in the current directory or in that of the
 * pipeline.
 */
function foundConfiguration(directory: string, io: CallEnvironment): string | undefined {
  const { file, ignored } = findConfiguration(directory);
  for (const remark of ignored) io.stderr?.write(`attractor: ${remark}\n`);
  const isAtHand = file === undefined || [directory, io.cwd()].includes(path.dirname(file));
  if (!isAtHand) io.stderr?.write(`attractor: configuration: ${file}\n`);
  return file;
}

/** Caches loaded extensions, for a command with many pipelines. */
export function extensionsForEach(
  args: ExtensionArguments,
  io: CallEnvironment,
): (pipeline: string) => Promise<ChosenExtensions> {
  const known = new Map<string, Promise<ChosenExtensions>>();
  const place = { cwd: () => io.cwd(), env: io.env, stderr: once(io.stderr) };
  return (pipeline) => {
    const directory = pipeline === '-' ? '.' : path.dirname(pipeline);
    const extensions = known.get(directory) ?? extensionsFor(pipeline, args, place);
    known.set(directory, extensions);
    return extensions;
  };
}

/** Wraps a stream so that each text is written once. */
function once(stream: CallEnvironment['stderr']): CallEnvironment['stderr'] {
  const written = new Set<string>();
  return {
    write(text) {
      if (!written.has(text)) stream?.write(text);
      written.add(text);
    },
  };
}

/**
 * Extensions that the call itself names, without those of a manifest or of a configuration that it does not
 * name.
 */
export async function extensionsOfCall(
  args: ExtensionArguments,
  io: CallEnvironment,
): Promise<ChosenExtensions> {
  return extensionsOfRun(undefined, '', args, io);
}

/** Extensions with which a run was started, unless the call overrides them. */
export async function extensionsOfRun(
  record: ExtensionRecord | undefined,
  manifest: string,
  args: ExtensionArguments,
  io: CallEnvironment,
): Promise<ChosenExtensions> {
  if (args.config) {
    const request = await configuredRequest(args.config, io);
    // Another configuration does not lift the properties with which a run was started.
    const { propertiesOfRecord } = await import('../run-directory/extension-record.js');
    const properties = propertiesOfRecord(record, request.properties);
    const configured = await onUserConfiguration({ ...request, properties }, args.config, io);
    return load(withArguments(configured, args, io));
  }
  if (record === undefined) return load(withArguments(undefined, args, io));
  const { requestOfRecord } = await import('../plugins/load-extensions.js');
  const recorded = requestOfRecord(
    args.config === false ? { ...record, configuration: undefined, user_configuration: undefined } : record,
    manifest,
  );
  const others = { ...recorded, plugins: [], mayMissRules: true } as const;
  return load(withArguments(args.plugin === undefined ? recorded : others, args, io));
}

/** Options of `compile` for the extensions. */
export function compileOptionsOf({
  handlers,
  transforms,
  rules,
  ruleSettings,
  properties,
}: ChosenExtensions): CompileOptions & {
  readonly handlerTypes: readonly HandlerType[];
  readonly properties: readonly NamedProperty[];
} {
  const handlerTypes = handlers.map(({ type, handler: _handler, ...description }) =>
    describedHandlerType(type, description),
  );
  return { handlerTypes, transforms, rules, ruleSettings, properties };
}

/** True for an LLM stage of the built-in handler, which asks the backend. */
export function isModelStage({ handler }: ProgramNode, { handlers }: ChosenExtensions): boolean {
  return handler.llm && handlers.every(({ type }) => type !== handler.type);
}

async function configuredRequest(name: string, io: CallEnvironment): Promise<ExtensionRequest> {
  const { requestOfConfiguration } = await import('../plugins/load-extensions.js');
  const file = locateFile(name, io.cwd());
  return requestOfConfiguration(file, displayed(name, file, io));
}

function withArguments(
  request: ExtensionRequest | undefined,
  { plugin = [], backend, interviewer, provider, model, rule }: ExtensionArguments,
  io: CallEnvironment,
): ExtensionRequest {
  const named = plugin.map(
    (module): PluginReference => ({ module, baseDirectory: io.cwd(), namedBy: '--plugin' }),
  );
  return {
    ...request,
    plugins: [...(request?.plugins ?? []), ...named],
    backend: backend ?? request?.backend,
    interviewer: interviewer ?? request?.interviewer,
    provider: provider ?? request?.provider,
    model: model ?? request?.model,
    rules: request?.rules ?? new Map(),
    ruleOptions: rule ?? request?.ruleOptions,
    positionOfRule: request?.positionOfRule ?? String,
  };
}

/** Loads nothing if there are neither plugins nor settings, so that most calls need not wait. */
async function load(request: ExtensionRequest): Promise<ChosenExtensions> {
  const { plugins, rules, ruleOptions, settings, backend, interviewer, provider, model } = request;
  const given = [settings, backend, interviewer, provider, model, request.defaultBudgetUsd];
  const { properties = [] } = request;
  const isPlain =
    plugins.length === 0 && rules.size === 0 && ruleOptions === undefined && properties.length === 0;
  if (isPlain && given.every((one) => one === undefined)) return noExtensions;
  const { loadExtensions } = await import('../plugins/load-extensions.js');
  return loadExtensions(request, {
    interviewers: new Set(builtInInterviewers.keys()),
    backends: new Set(await builtInBackendNames()),
  });
}

/** Path for people: relative if the file is below the current directory. */
function displayed(name: string, file: string, io: CallEnvironment): string {
  const relative = path.relative(io.cwd(), file);
  return relative === '' || relative.startsWith('..') ? name : relative;
}
