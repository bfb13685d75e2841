import { builtInBackends } from '../../backends/index.js';
import { autoBackendName } from '../extensions.js';
import type { Policy } from './policed-run.js';

/**
 * What a submission may name as its backend (§9.5): without `--allow-tools` none that starts programs; those of plugins are the
 * operator's own.
 * @param ofPlugins their names
 */
export function allowedBackends({ allowTools }: Policy, ofPlugins: Iterable<string> = []): readonly string[] {
  const ours = builtInBackends.filter(({ runsPrograms }) => allowTools || runsPrograms !== true);
  return [autoBackendName, ...ours.map(({ name }) => name), ...ofPlugins];
}
