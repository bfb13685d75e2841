import type { BackendSettings } from '../../../src/backends/settings.js';
import type { ChosenExtensions } from '../../../src/plugins/load-extensions.js';
import { extensionsFor } from '../../../src/setup/extensions.js';
import type { PolicedRun } from '../../../src/setup/policy/policed-run.js';

interface Given {
  readonly settings?: Partial<BackendSettings>;
  readonly extensions?: Partial<ChosenExtensions>;
  readonly workingDirectory?: string;
  readonly allowTools?: boolean;
  readonly simulate?: boolean;
  readonly variables?: PolicedRun['variables'];
}

/** A run on a server without `--allow-tools`, but for what is said. */
export async function policed(given: Given = {}): Promise<PolicedRun> {
  const { settings, workingDirectory = '/nowhere', allowTools = false, simulate = false } = given;
  const plain = await extensionsFor('-', { config: false }, { cwd: () => '/nowhere', env: {} });
  return {
    policy: { allowTools },
    extensions: { ...plain, ...given.extensions, settings: { ...plain.settings, ...settings } },
    variables: given.variables ?? {},
    ...{ workingDirectory, simulate },
  };
}
