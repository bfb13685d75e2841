import { findConfiguration } from '../../plugins/find-configuration.js';
import type { ChosenExtensions } from '../../plugins/load-extensions.js';
import type { ExtensionRecord } from '../../run-directory/extension-record.js';
import { type CallEnvironment, type ExtensionArguments, extensionsOfRun } from '../extensions.js';
import { UsageError } from '../usage-error.js';
import type { Policy } from './policed-run.js';

/** Process that looks at the run of a tenant, and the plugins and the configuration that it was started with itself. */
export interface TenantHost extends Pick<ExtensionArguments, 'plugin' | 'config'> {
  readonly holder: NonNullable<Policy['holder']>;
}

/**
 * Extensions for the run of a tenant: the plugins and the configuration of this process, with the backend and the model
 * that the run was submitted with. What a tenant names is not loaded: a plugin is code, and a configuration can name programs.
 * @param manifest file that has the record, for messages
 * @throws UsageError if the run needs a plugin that this process does not have
 */
export async function extensionsForTenant(
  record: ExtensionRecord | undefined,
  manifest: string,
  here: CallEnvironment,
  { holder, plugin = [], config = findConfiguration(here.cwd()).file ?? false }: TenantHost = {
    holder: 'worker',
  },
): Promise<ChosenExtensions> {
  const { backend, provider, model, plugins = [] } = record ?? {};
  const own = await extensionsOfRun(record, manifest, { config, plugin, backend, provider, model }, here);
  const loaded = new Set(own.record?.plugins.map(({ module }) => module));
  const missing = plugins.find(({ module }) => !loaded.has(module));
  if (missing !== undefined)
    throw new UsageError(
      `the run was submitted with the plugin ${missing.module}, which the configuration of this ${holder} does not name; only its plugins are for runs of tenants`,
    );
  return own;
}
