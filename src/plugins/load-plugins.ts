import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../graph/json.js';
import { RunError } from '../run-directory/run-error.js';
import { describeFailure, describeLoadFailure } from './describe-failure.js';
import { pathText } from './describe-problems.js';
import type { Plugin, PluginFactory } from './plugin.js';
import { resolveModule } from './resolve-module.js';

/** Reference to a plugin, as a user writes it. */
export interface PluginReference {
  /** A path that begins with `./`, `../` or `/`, or the name of a package. */
  readonly module: string;
  /** For a module that exports a function. */
  readonly options?: JsonValue;
  /** Directory from which a path or a package is resolved. */
  readonly baseDirectory: string;
  /** Source of the reference, for messages: a configuration file, `--plugin`. */
  readonly namedBy: string;
}

/** A plugin with the file that it came from. */
export interface LoadedPlugin {
  readonly plugin: Plugin;
  readonly file: string;
  readonly options: JsonValue | undefined;
}

/**
 * Loads plugins in their order, one after the other. A plugin that is named again, without options or with
 * the same ones, is the same plugin.
 * @throws RunError `usage` for one that cannot be found or loaded, or is not a plugin
 */
export async function loadPlugins(references: readonly PluginReference[]): Promise<readonly LoadedPlugin[]> {
  const loaded: LoadedPlugin[] = [];
  for (const reference of references) {
    const { module, options, baseDirectory } = reference;
    const resolved = resolveModule(module, baseDirectory);
    if (resolved.kind === 'missing') throw unusable(reference, `cannot be found: ${resolved.why}`);
    const { file } = resolved;
    const isKnown = loaded.some(
      (other) => other.file === file && (options === undefined || isDeepStrictEqual(options, other.options)),
    );
    if (!isKnown) loaded.push({ plugin: await loadPlugin(reference, file), file, options });
  }
  // A rejected promise of a module is reported in a later turn, which should come before anything
  // begins.
  if (loaded.length > 0) await new Promise(setImmediate);
  return loaded;
}

async function loadPlugin(reference: PluginReference, file: string): Promise<Plugin> {
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = await import(pathToFileURL(file).href);
  } catch (error) {
    throw unusable(
      reference,
      `cannot be loaded: ${await describeLoadFailure(error, file)}${missingPackageHint(error)}`,
      error,
    );
  }
  const found = pluginOf(exported);
  if (found === undefined) {
    const names = Object.keys(exported).filter((name) => name !== 'default');
    const what = names.length === 0 ? 'it exports nothing' : `it exports only ${names.join(', ')}`;
    throw unusable(reference, `is not a plugin: ${what}; expected \`export default definePlugin({ … })\``);
  }
  return check(
    reference,
    typeof found === 'function' ? await make(reference, found as PluginFactory) : found,
  );
}

/** An ES module has it as `default` or `plugin`; so has a CommonJS module, one level further in where it was transpiled. */
function pluginOf(exported: Readonly<Record<string, unknown>>): unknown {
  const inner = exported.default as Readonly<Record<string, unknown>> | undefined;
  const transpiled = inner?.__esModule === true ? (inner.default ?? inner.plugin) : undefined;
  return exported.plugin ?? transpiled ?? (inner?.plugin as unknown) ?? inner;
}

async function make(reference: PluginReference, factory: PluginFactory): Promise<unknown> {
  try {
    return await factory(reference.options);
  } catch (error) {
    throw unusable(reference, `cannot be made: ${describeFailure(error)}`, error);
  }
}

async function check(reference: PluginReference, value: unknown): Promise<Plugin> {
  const { checkPlugin } = await import('./check-plugin.js');
  const checked = checkPlugin(value);
  if (checked.kind === 'plugin') return checked.plugin;
  const problems = checked.problems.map(({ path, message }) =>
    path.length === 0 ? message : `${pathText(path)}: ${message}`,
  );
  throw unusable(reference, `is not a plugin: ${problems.join('; ')}`);
}

function missingPackageHint(error: unknown): string {
  const isOurs = error instanceof Error && /Cannot find package 'attractor-dot'/.test(error.message);
  return isOurs
    ? '. Install attractor-dot next to the plugin, or export a plain object: definePlugin helps with types only'
    : '';
}

function unusable({ module, namedBy }: PluginReference, what: string, cause?: unknown): RunError {
  return new RunError('usage', `the plugin "${module}" (${namedBy}) ${what}`, { cause });
}
