import path from 'node:path';
import { noBackendSettings } from '../backends/no-settings.js';
import type { BackendSettings } from '../backends/settings.js';
import { didYouMean } from '../diagnostic/did-you-mean.js';
import type { BudgetLimit } from '../graph/budget-limit.js';
import type { NamedProperty } from '../graph/properties/monitor.js';
import { builtInRuleIds, isAdjustable, type RuleSetting } from '../lint/rule-settings.js';
import {
  type ExtensionRecord,
  propertiesOfRecord,
  recordedProperties,
  recordWith,
} from '../run-directory/extension-record.js';
import { RunError } from '../run-directory/run-error.js';
import { combinePlugins, type Extensions, type ReservedNames } from './combine-plugins.js';
import { loadPlugins, type PluginReference } from './load-plugins.js';
import { readConfiguration } from './read-configuration.js';

/** Plugins to load, and the choice among their contributions. */
export interface ExtensionRequest {
  readonly plugins: readonly PluginReference[];
  readonly backend?: string;
  readonly interviewer?: string;
  /** Budget of new runs in the configuration file. */
  readonly defaultBudgetUsd?: BudgetLimit;
  /** Settings of the built-in backends in a configuration file, and the absolute path of that file. */
  readonly settings?: BackendSettings;
  readonly configuration?: string;
  /** The same of the configuration that the user keeps for all pipelines. */
  readonly userConfiguration?: string;
  /** For stages that name none; before those of the settings. */
  readonly provider?: string;
  readonly model?: string;
  readonly rules: ReadonlyMap<string, RuleSetting>;
  /** Properties of the configuration (SEMANTICS 144). */
  readonly properties?: readonly NamedProperty[];
  /** Rule settings of the call, which override those of the file. */
  readonly ruleOptions?: ReadonlyMap<string, RuleSetting>;
  /** Set where the plugins may be others than those for which the rules were written. */
  readonly mayMissRules?: true;
  /** Position of a rule's setting, for messages. */
  positionOfRule(rule: string): string;
}

/** Contributions of plugins, with those that were chosen. */
export interface ChosenExtensions extends Extensions {
  readonly backend?: string;
  readonly interviewer?: string;
  /** Budget of new runs for which neither the call nor the pipeline says one (SEMANTICS 126). */
  readonly defaultBudgetUsd?: BudgetLimit;
  /** Settings of the built-in backends. */
  readonly settings: BackendSettings;
  readonly ruleSettings: ReadonlyMap<string, RuleSetting>;
  /** Properties that no pipeline can switch off. */
  readonly properties: readonly NamedProperty[];
  /** Record from which the same can be loaded again; undefined if nothing was asked for. */
  readonly record: ExtensionRecord | undefined;
}

/**
 * Reads the request of a configuration file (its paths are relative to that file).
 * @param name of the file in messages
 * @throws RunError `usage`
 */
export function requestOfConfiguration(file: string, name = file): ExtensionRequest {
  const { plugins, positionOf, ...chosen } = readConfiguration(file, name);
  const configuration = path.resolve(file);
  const baseDirectory = path.dirname(configuration);
  return {
    ...chosen,
    // A resumed run needs the file for settings that a manifest cannot keep: addresses and headers of
    // this machine.
    configuration: hasSettings(chosen.settings) ? configuration : undefined,
    plugins: plugins.map((plugin) => ({ ...plugin, baseDirectory, namedBy: `named in ${name}` })),
    positionOfRule: (rule) => positionOf(['rules', rule]),
  };
}

function hasSettings(settings: BackendSettings): boolean {
  return Object.values(settings).some((value) =>
    value instanceof Map ? value.size > 0 : value !== undefined,
  );
}

/**
 * Combines the configuration that a user keeps for all pipelines with that of a project, which is nearer: of two values
 * it has the last word, lists and named entries of both count, and each keeps its properties.
 */
export function combineRequests(
  user: ExtensionRequest | undefined,
  project: ExtensionRequest | undefined,
): ExtensionRequest | undefined {
  if (user === undefined) return project;
  if (project === undefined)
    return { ...user, configuration: undefined, userConfiguration: user.configuration };
  return {
    plugins: [...user.plugins, ...project.plugins],
    backend: project.backend ?? user.backend,
    interviewer: project.interviewer ?? user.interviewer,
    defaultBudgetUsd: project.defaultBudgetUsd ?? user.defaultBudgetUsd,
    settings: combineSettings(user.settings, project.settings),
    configuration: project.configuration,
    userConfiguration: user.configuration,
    provider: project.provider ?? user.provider,
    model: project.model ?? user.model,
    rules: new Map([...user.rules, ...project.rules]),
    ruleOptions: project.ruleOptions,
    properties: [...(user.properties ?? []), ...(project.properties ?? [])],
    mayMissRules: project.mayMissRules,
    positionOfRule: (rule) => (project.rules.has(rule) ? project : user).positionOfRule(rule),
  };
}

function combineSettings(
  user: BackendSettings = noBackendSettings,
  project: BackendSettings = noBackendSettings,
): BackendSettings {
  return {
    provider: project.provider ?? user.provider,
    model: project.model ?? user.model,
    keys_file: project.keys_file ?? user.keys_file,
    ai: user.ai && project.ai ? { ...user.ai, ...project.ai } : (project.ai ?? user.ai),
    providers: new Map([...user.providers, ...project.providers]),
    mcp_servers: new Map([...user.mcp_servers, ...project.mcp_servers]),
    agents: new Map([...user.agents, ...project.agents]),
    prices: new Map([...user.prices, ...project.prices]),
  };
}

/** Reads the request with which a run was started from its manifest. */
export function requestOfRecord(record: ExtensionRecord, manifest: string): ExtensionRequest {
  const { plugins, backend, interviewer, rules, provider, model, properties = [] } = record;
  const { configuration, user_configuration: userConfiguration } = record;
  return {
    provider,
    model,
    configuration,
    userConfiguration,
    settings: combineSettings(
      settingsAgain(userConfiguration, manifest),
      settingsAgain(configuration, manifest),
    ),
    plugins: plugins.map(({ module, options }) => ({
      module,
      options,
      baseDirectory: '/',
      namedBy: 'that the run was started with; use --plugin to name others',
    })),
    backend,
    interviewer,
    rules: new Map(Object.entries(rules)),
    properties: propertiesOfRecord({ properties }),
    positionOfRule: () => manifest,
  };
}

/**
 * Reads the settings again: they name variables, addresses and programs of this machine, as they are now.
 * @throws RunError `usage` where the file can no longer be read
 */
function settingsAgain(configuration: string | undefined, manifest: string): BackendSettings | undefined {
  if (configuration === undefined) return undefined;
  try {
    return readConfiguration(configuration).settings;
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    const advice = `the run was started with this configuration (${manifest}); use --config to name another one, or --no-config`;
    throw new RunError('usage', `${error.message}\n${advice}`, { cause: error });
  }
}

/** Settings of the file, overridden by those of the call. */
function settingsOf({ settings, provider, model }: ExtensionRequest): BackendSettings {
  const written = settings ?? noBackendSettings;
  return { ...written, provider: provider ?? written.provider, model: model ?? written.model };
}

/** @throws RunError `usage` for unusable plugins, and for settings of unknown rules */
export async function loadExtensions(
  request: ExtensionRequest,
  reserved: ReservedNames,
): Promise<ChosenExtensions> {
  const loaded = await loadPlugins(request.plugins);
  const extensions = combinePlugins(loaded, reserved);
  checkRules(request, new Set([...builtInRuleIds, ...extensions.rules.map(({ name }) => name)]));
  const {
    backend,
    interviewer,
    provider,
    model,
    configuration,
    userConfiguration,
    properties = [],
  } = request;
  const rules = new Map([...request.rules, ...(request.ruleOptions ?? [])]);
  return {
    ...extensions,
    backend,
    interviewer,
    defaultBudgetUsd: request.defaultBudgetUsd,
    settings: settingsOf(request),
    ruleSettings: rules,
    properties,
    record: {
      plugins: loaded.map(({ file, options }) => ({ module: file, options })),
      backend,
      interviewer,
      configuration,
      user_configuration: userConfiguration,
      provider,
      model,
      rules: Object.fromEntries(rules),
      properties: recordedProperties(properties),
    },
  };
}

/** Extensions with more properties, of which the record tells a resumed run. */
export function withProperties(
  extensions: ChosenExtensions,
  more: readonly NamedProperty[],
): ChosenExtensions {
  if (more.length === 0) return extensions;
  const properties = [...extensions.properties, ...more];
  return { ...extensions, properties, record: recordWith(extensions.record, properties) };
}

/** Reports all unknown rules at once, each with its position. */
function checkRules(
  { rules, ruleOptions = new Map(), mayMissRules, positionOfRule }: ExtensionRequest,
  known: ReadonlySet<string>,
): void {
  const problems = [
    ...[...rules.keys()].map((id) => {
      const problem = settingProblem(id, known, mayMissRules === true);
      return problem && `${positionOfRule(id)}: rules: ${problem}`;
    }),
    ...[...ruleOptions.keys()].map((id) => {
      const problem = settingProblem(id, known, false);
      return problem && `--rule: ${problem}`;
    }),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new RunError('usage', problems.join('\nattractor: '));
}

function settingProblem(id: string, known: ReadonlySet<string>, mayMiss: boolean): string | undefined {
  if (!known.has(id)) {
    if (mayMiss) return undefined;
    return `there is no rule "${id}"${didYouMean(id, known) || '; `attractor rules` lists all rules'}`;
  }
  if (isAdjustable(id)) return undefined;
  return `the severity of "${id}" cannot be set: a pipeline with such a finding cannot run`;
}
