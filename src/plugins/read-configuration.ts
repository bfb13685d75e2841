import { homedir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { BackendSettings } from '../backends/settings.js';
import { backendSettingsShape, misplacedKey } from '../backends/settings-schema.js';
import type { BudgetLimit } from '../graph/budget-limit.js';
import type { JsonValue } from '../graph/json.js';
import type { NamedProperty } from '../graph/properties/monitor.js';
import { readNamed } from '../graph/properties/property-list.js';
import { entriesOf } from '../handlers/entries-of.js';
import type { RuleSetting } from '../lint/rule-settings.js';
import { readRegularFile } from '../run-directory/named-file.js';
import { describeSystemError, RunError } from '../run-directory/run-error.js';
import { describeProblems, pathText } from './describe-problems.js';
import { type ConfigurationText, parseConfiguration } from './parse-configuration.js';

const reference = z.strictObject({ module: z.string(), options: z.custom<JsonValue>().optional() });

/** The keys of `attractor.config.json`; docs/extending.md has them in a table. */
export const configurationSchema = z.strictObject({
  $schema: z.string().optional(),
  // Not a union, whose message could not say what is wrong.
  plugins: z
    .array(z.preprocess((value) => (typeof value === 'string' ? { module: value } : value), reference))
    .default([]),
  backend: z.string().optional(),
  interviewer: z.string().optional(),
  budget_usd: z.union([z.number().nonnegative(), z.literal('none')]).optional(),
  ...backendSettingsShape,
  rules: entriesOf(z.enum(['off', 'info', 'warning', 'error'])).default(new Map()),
  properties: entriesOf(z.string()).default(new Map()),
});

const schema = configurationSchema.extend({ api_key: misplacedKey });

/** A configuration file, checked: names in it are not looked up yet. */
export interface Configuration {
  readonly plugins: readonly { readonly module: string; readonly options?: JsonValue }[];
  readonly backend?: string;
  readonly interviewer?: string;
  /** Budget of runs for which neither the call nor the pipeline says one (SEMANTICS 126). */
  readonly defaultBudgetUsd?: BudgetLimit;
  /** Settings of the built-in backends. */
  readonly settings: BackendSettings;
  readonly rules: ReadonlyMap<string, RuleSetting>;
  /** Properties of every run, by their names (SEMANTICS 144). */
  readonly properties: readonly NamedProperty[];
  /** Position of a key, `file:line:column`, for later messages. */
  positionOf(path: readonly PropertyKey[]): string;
}

/**
 * @param name of the file in messages
 * @throws RunError `usage` with the line and column of the first mistake, and all others
 */
export function readConfiguration(file: string, name = file): Configuration {
  const text = parseConfiguration(readConfigurationText(file, name), name);
  const parsed = schema.safeParse(text.value ?? {});
  const where = (path: readonly PropertyKey[]) => `${name}${positionOf(text, path)}`;
  if (parsed.success) {
    const {
      $schema: _,
      api_key: __,
      plugins,
      backend,
      interviewer,
      rules,
      budget_usd,
      properties,
      ...settings
    } = parsed.data;
    const keysFile = settings.keys_file && { keys_file: fileSeenFrom(file, settings.keys_file) };
    return {
      plugins,
      backend,
      interviewer,
      rules,
      properties: readProperties(properties, where),
      defaultBudgetUsd: budget_usd,
      settings: { ...settings, ...keysFile },
      positionOf: where,
    };
  }
  const keys = Object.keys(configurationSchema.shape);
  const problems = describeProblems(parsed.error, (path) =>
    path.length === 0 ? keys : Object.keys(reference.shape),
  );
  const lines = problems.map(({ path, message }) => {
    const what = path.length === 0 ? '' : `${pathText(path)}: `;
    return `${where(path)}: ${what}${message}`;
  });
  throw new RunError('usage', lines.join('\nattractor: '));
}

/** @throws RunError `usage` for sentences that cannot be read */
function readProperties(
  written: ReadonlyMap<string, string>,
  where: (path: readonly PropertyKey[]) => string,
): readonly NamedProperty[] {
  const read = [...written].map(([name, text]) => readNamed(name, text, 'configuration'));
  const problems = read.flatMap((one) =>
    'message' in one ? [`${where(['properties', one.name])}: properties.${one.name}: ${one.message}`] : [],
  );
  if (problems.length > 0) throw new RunError('usage', problems.join('\nattractor: '));
  return read.flatMap((one) => ('message' in one ? [] : [one]));
}

/** Files that the configuration names lie next to it, or in the home directory. */
function fileSeenFrom(configuration: string, file: string): string {
  const named = file.startsWith('~/') ? path.join(homedir(), file.slice(2)) : file;
  return path.resolve(path.dirname(configuration), named);
}

function positionOf(text: ConfigurationText, path: readonly PropertyKey[]): string {
  const place = text.positionOf(path);
  return place === undefined ? '' : `:${place.line}:${place.column}`;
}

function readConfigurationText(file: string, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readRegularFile(file));
  } catch (error) {
    const what = error instanceof TypeError ? 'it is not UTF-8 text' : describeSystemError(error);
    throw new RunError('usage', `cannot read the configuration ${name}: ${what}`, { cause: error });
  }
}
