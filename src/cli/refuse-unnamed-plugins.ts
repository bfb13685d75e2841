import { printable } from '../diagnostic/printable.js';
import type { ExtensionArguments } from '../setup/extensions.js';
import { UsageError } from '../setup/usage-error.js';

/**
 * Refuses to load plugins that only a manifest names: reading a run that somebody has sent must not run its
 * code, so the call must name them.
 * @throws UsageError if the run was started with plugins, and the call names neither plugins nor a
 * configuration
 */
export async function refuseUnnamedPlugins(directory: string, args: ExtensionArguments): Promise<void> {
  const named = await unnamedPlugins(directory, args);
  if (named !== undefined) throw unnamedPluginsError(named);
}

/** The notice of a command that shows a run without the plugins with which it was started; undefined where there are none. */
export async function leftOutPlugins(
  directory: string,
  args: ExtensionArguments,
): Promise<string | undefined> {
  const named = await unnamedPlugins(directory, args);
  return named && `attractor: shown without the plugins of the run; to load them: ${named}\n`;
}

/** Arguments that would name the plugins of a run; undefined if it has none, or the call names some. */
export async function unnamedPlugins(
  directory: string,
  args: ExtensionArguments,
): Promise<string | undefined> {
  const { readManifest } = await import('../run-directory/manifest.js');
  const plugins = readManifest(directory).options.extensions?.plugins ?? [];
  if (plugins.length === 0 || args.plugin !== undefined || args.config) return undefined;
  return plugins.map(({ module }) => `--plugin ${quoted(module)}`).join(' ');
}

/** @param named the arguments that would name them */
export function unnamedPluginsError(named: string): UsageError {
  return new UsageError(
    `the run was started with plugins, which are code of whoever started it; if you trust them, name them: ${named}`,
  );
}

/** Argument quoted for a shell. */
function quoted(module: string): string {
  return /^[\w./@:-]+$/.test(module) ? module : `'${printable(module).replaceAll("'", String.raw`'\''`)}'`;
}
