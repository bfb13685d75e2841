import { builtInBackends } from '../../backends/index.js';
import { autoBackendName } from '../extensions.js';
import type { Policy } from './policed-run.js';

/**
 * Names that a submission may use as its backend (§9.5): without `--allow-tools` none that starts programs;
 * those of plugins are the operator's choice.
 * @param ofPlugins their names
 */
export function allowedBackends({ allowTools }: Policy, ofPlugins: Iterable<string> = []): readonly string[] {
  const ours = builtInBackends.filter(({ runsPrograms }) => allowTools || runsPrograms !== true);
  return [autoBackendName, ...ours.map(({ name }) => name), ...ofPlugins];
}
