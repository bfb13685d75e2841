import path from 'node:path';
import { noBackendSettings } from '../backends/no-settings.js';
import type { BackendSettings } from '../backends/settings.js';
import { didYouMean } from '../diagnostic/did-you-mean.js';
import { builtInRuleIds, isAdjustable, type RuleSetting } from '../lint/rule-settings.js';
import type { ExtensionRecord } from '../run-directory/extension-record.js';
import { RunError } from '../run-directory/run-error.js';
import { combinePlugins, type Extensions, type ReservedNames } from './combine-plugins.js';
import { loadPlugins, type PluginReference } from './load-plugins.js';
import { readConfiguration } from './read-configuration.js';

/** Which plugins to load, and what to choose of what they have. */
export interface ExtensionRequest {
  readonly plugins: readonly PluginReference[];
  readonly backend?: string;
  readonly interviewer?: string;
  /** What the built-in backends are told by a configuration file, and the absolute path of that. */
  readonly settings?: BackendSettings;
  readonly configuration?: string;
  /** For stages that name none; before those of the settings. */
  readonly provider?: string;
  readonly model?: string;
  readonly rules: ReadonlyMap<string, RuleSetting>;
  /** Those of the call, which take precedence. */
  readonly ruleOptions?: ReadonlyMap<string, RuleSetting>;
  /** Set where the plugins may be others than those for which the rules were written. */
  readonly mayMissRules?: true;
  /** Where the setting of a rule is written, for messages. */
  placeOfRule(rule: string): string;
}

/** Plugins, and what was chosen of them. */
export interface ChosenExtensions extends Extensions {
  readonly backend?: string;
  readonly interviewer?: string;
  /** What the built-in backends are told. */
  readonly settings: BackendSettings;
  readonly ruleSettings: ReadonlyMap<string, RuleSetting>;
  /** From which the same can be loaded again; undefined where nothing was asked for. */
  readonly record: ExtensionRecord | undefined;
}

/**
 * What a configuration file asks for (its paths begin where it is).
 * @param name what messages call it
 * @throws RunError `usage`
 */
export function requestOfConfiguration(file: string, name = file): ExtensionRequest {
  const { plugins, placeOf, ...chosen } = readConfiguration(file, name);
  const configuration = path.resolve(file);
  const baseDirectory = path.dirname(configuration);
  return {
    ...chosen,
    // Whoever resumes the run needs the file for what cannot be kept in a manifest: addresses and headers of this machine.
    configuration: hasSettings(chosen.settings) ? configuration : undefined,
    plugins: plugins.map((plugin) => ({ ...plugin, baseDirectory, namedBy: `named in ${name}` })),
    placeOfRule: (rule) => placeOf(['rules', rule]),
  };
}

function hasSettings(settings: BackendSettings): boolean {
  return Object.values(settings).some((value) =>
    value instanceof Map ? value.size > 0 : value !== undefined,
  );
}

/** What a run was started with, read off its manifest. */
export function requestOfRecord(record: ExtensionRecord, manifest: string): ExtensionRequest {
  const { plugins, backend, interviewer, rules, provider, model, configuration } = record;
  return {
    provider,
    model,
    configuration,
    settings: configuration === undefined ? undefined : settingsAgain(configuration, manifest),
    plugins: plugins.map(({ module, options }) => ({
      module,
      options,
      baseDirectory: '/',
      namedBy: 'with which the run was started; --plugin names others',
    })),
    backend,
    interviewer,
    rules: new Map(Object.entries(rules)),
    placeOfRule: () => manifest,
  };
}

/**
 * The settings are read again: they name variables, addresses and programs of this machine, as they are now.
 * @throws RunError `usage` where the file cannot be read any more
 */
function settingsAgain(configuration: string, manifest: string): BackendSettings {
  try {
    return readConfiguration(configuration).settings;
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    const advice = `the run was started with this configuration (${manifest}); --config names another one, --no-config does without`;
    throw new RunError('usage', `${error.message}\n${advice}`, { cause: error });
  }
}

/** What the settings say, with what the call says before it. */
function settingsOf({ settings, provider, model }: ExtensionRequest): BackendSettings {
  const written = settings ?? noBackendSettings;
  return { ...written, provider: provider ?? written.provider, model: model ?? written.model };
}

/** @throws RunError `usage` for plugins that cannot be used, and for settings of rules that there are not */
export async function loadExtensions(
  request: ExtensionRequest,
  reserved: ReservedNames,
): Promise<ChosenExtensions> {
  const loaded = await loadPlugins(request.plugins);
  const extensions = combinePlugins(loaded, reserved);
  checkRules(request, new Set([...builtInRuleIds, ...extensions.rules.map(({ name }) => name)]));
  const { backend, interviewer, provider, model, configuration } = request;
  const rules = new Map([...request.rules, ...(request.ruleOptions ?? [])]);
  return {
    ...extensions,
    backend,
    interviewer,
    settings: settingsOf(request),
    ruleSettings: rules,
    record: {
      plugins: loaded.map(({ file, options }) => ({ module: file, options })),
      backend,
      interviewer,
      configuration,
      provider,
      model,
      rules: Object.fromEntries(rules),
    },
  };
}

/** All mistakes at once, each with the place where it is written. */
function checkRules(
  { rules, ruleOptions = new Map(), mayMissRules, placeOfRule }: ExtensionRequest,
  known: ReadonlySet<string>,
): void {
  const problems = [
    ...[...rules.keys()].map((id) => {
      const problem = settingProblem(id, known, mayMissRules === true);
      return problem && `${placeOfRule(id)}: rules: ${problem}`;
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
    return `there is no rule "${id}"${didYouMean(id, known) || '; `attractor rules` lists those that there are'}`;
  }
  if (isAdjustable(id)) return undefined;
  return `the severity of "${id}" cannot be set: what it finds keeps a pipeline from being one`;
}
