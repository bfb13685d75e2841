import type { BackendEnvironment } from '../../backends/backend.js';
import type { ChosenExtensions } from '../../plugins/load-extensions.js';
import type { Policy } from '../server-options.js';

/** A run that somebody wants, as far as the policy of the server is concerned. */
export interface PolicedRun extends Pick<BackendEnvironment, 'variables' | 'workingDirectory'> {
  readonly policy: Policy;
  /** What the configuration brings, with what the submission chooses of it. */
  readonly extensions: ChosenExtensions;
  /** Its stages only pretend, so that nothing is run. */
  readonly simulate: boolean;
  /** Git keeps its files, whatever its pipeline says: somebody else began it with `--git`. */
  readonly keptByGit?: boolean;
}
