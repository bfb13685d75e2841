import path from 'node:path';
import { noBackendSettings } from '../backends/no-settings.js';
import type { CompileOptions } from '../compiler/compile.js';
import type { HandlerType } from '../graph/handler-types.js';
import { describedHandlerType } from '../graph/known-handler-types.js';
import type { ProgramNode } from '../graph/program.js';
import type { RuleSetting } from '../lint/rule-settings.js';
import { findConfiguration } from '../plugins/find-configuration.js';
import type { ChosenExtensions, ExtensionRequest } from '../plugins/load-extensions.js';
import type { PluginReference } from '../plugins/load-plugins.js';
import type { ExtensionRecord } from '../run-directory/extension-record.js';
import { builtInInterviewers } from './interviewers.js';
import { locateFile } from './locate-file.js';

/** The options that bring in what is not built in. */
export interface ExtensionArguments {
  readonly plugin?: readonly string[];
  /** A file, or false for none. */
  readonly config?: string | false;
  readonly backend?: string;
  readonly interviewer?: string;
  /** For stages that name none. */
  readonly provider?: string;
  readonly model?: string;
  /** Severities of rules that the call sets. */
  readonly rule?: ReadonlyMap<string, RuleSetting>;
}

/** Where a command is given. */
export interface Place {
  /** The current directory, which names are relative to. */
  cwd(): string;
  /** For remarks about the configuration. */
  readonly stderr?: { write(text: string): unknown };
}

/** Chooses one of our own for each stage, and fails those for which there is none. */
export const autoBackendName = 'auto';

/** The names that `--backend` takes without a plugin. */
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
  record: undefined,
};

/**
 * What the call and the configuration file bring in for a pipeline. The file is looked for from the directory of the
 * pipeline upwards; for standard input from the current one.
 */
export async function extensionsFor(
  pipeline: string,
  args: ExtensionArguments,
  io: Place,
): Promise<ChosenExtensions> {
  const directory = pipeline === '-' ? io.cwd() : path.resolve(io.cwd(), path.dirname(pipeline));
  const file = args.config === undefined ? foundConfiguration(directory, io) : args.config;
  const configured = file ? await configuredRequest(file, io) : undefined;
  return load(withArguments(configured, args, io));
}

/** Says what it ignores, and which file it takes where that is not the one of the current directory or of the pipeline. */
function foundConfiguration(directory: string, io: Place): string | undefined {
  const { file, ignored } = findConfiguration(directory);
  for (const remark of ignored) io.stderr?.write(`attractor: ${remark}\n`);
  const isAtHand = file === undefined || [directory, io.cwd()].includes(path.dirname(file));
  if (!isAtHand) io.stderr?.write(`attractor: configuration: ${file}\n`);
  return file;
}

/** Remembers what it has loaded, for a command with many pipelines. */
export function extensionsForEach(
  args: ExtensionArguments,
  io: Place,
): (pipeline: string) => Promise<ChosenExtensions> {
  const known = new Map<string, Promise<ChosenExtensions>>();
  const place = { cwd: () => io.cwd(), stderr: once(io.stderr) };
  return (pipeline) => {
    const directory = pipeline === '-' ? '.' : path.dirname(pipeline);
    const extensions = known.get(directory) ?? extensionsFor(pipeline, args, place);
    known.set(directory, extensions);
    return extensions;
  };
}

/** Writes each text once. */
function once(stream: Place['stderr']): Place['stderr'] {
  const written = new Set<string>();
  return {
    write(text) {
      if (!written.has(text)) stream?.write(text);
      written.add(text);
    },
  };
}

/** What the call itself brings in, and no manifest or configuration that it does not name. */
export async function extensionsOfCall(args: ExtensionArguments, io: Place): Promise<ChosenExtensions> {
  return extensionsOfRun(undefined, '', args, io);
}

/** What a run was started with, unless the call says otherwise. */
export async function extensionsOfRun(
  record: ExtensionRecord | undefined,
  manifest: string,
  args: ExtensionArguments,
  io: Place,
): Promise<ChosenExtensions> {
  if (args.config) return load(withArguments(await configuredRequest(args.config, io), args, io));
  if (record === undefined) return load(withArguments(undefined, args, io));
  const { requestOfRecord } = await import('../plugins/load-extensions.js');
  const recorded = requestOfRecord(
    args.config === false ? { ...record, configuration: undefined } : record,
    manifest,
  );
  const others = { ...recorded, plugins: [], mayMissRules: true } as const;
  return load(withArguments(args.plugin === undefined ? recorded : others, args, io));
}

/** What `compile` should know of them. */
export function compileOptionsOf({
  handlers,
  transforms,
  rules,
  ruleSettings,
}: ChosenExtensions): CompileOptions & {
  readonly handlerTypes: readonly HandlerType[];
} {
  const handlerTypes = handlers.map(({ type, handler: _handler, ...description }) =>
    describedHandlerType(type, description),
  );
  return { handlerTypes, transforms, rules, ruleSettings };
}

/** Whether a stage is an LLM stage of the built-in handler, which asks the backend. */
export function isModelStage({ handler }: ProgramNode, { handlers }: ChosenExtensions): boolean {
  return handler.llm && handlers.every(({ type }) => type !== handler.type);
}

async function configuredRequest(name: string, io: Place): Promise<ExtensionRequest> {
  const { requestOfConfiguration } = await import('../plugins/load-extensions.js');
  const file = locateFile(name, io.cwd());
  return requestOfConfiguration(file, displayed(name, file, io));
}

function withArguments(
  request: ExtensionRequest | undefined,
  { plugin = [], backend, interviewer, provider, model, rule }: ExtensionArguments,
  io: Place,
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
    placeOfRule: request?.placeOfRule ?? String,
  };
}

/** Without plugins and settings nothing has to be loaded, which most calls should not wait for. */
async function load(request: ExtensionRequest): Promise<ChosenExtensions> {
  const { plugins, rules, ruleOptions, settings, backend, interviewer, provider, model } = request;
  const isPlain = plugins.length === 0 && rules.size === 0 && ruleOptions === undefined;
  if (isPlain && [settings, backend, interviewer, provider, model].every((one) => one === undefined)) {
    return noExtensions;
  }
  const { loadExtensions } = await import('../plugins/load-extensions.js');
  return loadExtensions(request, {
    interviewers: new Set(builtInInterviewers.keys()),
    backends: new Set(await builtInBackendNames()),
  });
}

/** As a person would write it: relative where the file is below. */
function displayed(name: string, file: string, io: Place): string {
  const relative = path.relative(io.cwd(), file);
  return relative === '' || relative.startsWith('..') ? name : relative;
}
