import type { BackendEnvironment } from '../../backends/backend.js';
import type { ChosenExtensions } from '../../plugins/load-extensions.js';

/** What a submitted pipeline may do on this machine. */
export interface Policy {
  /**
   * Run commands: tool stages, hooks, coding agents, the command tool of models, git. Without it such stages are refused when the
   * pipeline is posted, and fail where they turn up later (as in a pipeline that a stage runs).
   */
  readonly allowTools: boolean;
}

/** A run that somebody wants, as far as the policy of the server is concerned on which it begins, or began. */
export interface PolicedRun extends Pick<BackendEnvironment, 'variables' | 'workingDirectory'> {
  readonly policy: Policy;
  /** What the configuration brings, with what the submission chooses of it. */
  readonly extensions: ChosenExtensions;
  /** Its stages only pretend, so that nothing is run. */
  readonly simulate: boolean;
  /** A server without `--allow-tools` began it, and whoever continues with it has not lifted that. */
  readonly isRestricted?: boolean;
  /** Git keeps its files, whatever its pipeline says: somebody else began it with `--git`. */
  readonly keptByGit?: boolean;
}

/** Whether its stages may run commands. */
export function mayRunCommands({ policy, isRestricted = false }: PolicedRun): boolean {
  return policy.allowTools && !isRestricted;
}

/** How commands would be allowed, as the end of a sentence. */
export function howAllowed({ policy, isRestricted }: PolicedRun): string {
  return policy.allowTools && isRestricted
    ? 'the run began on a server that does not let pipelines run commands; attractor resume RUN --allow-tools lets this one'
    : 'this server does not let pipelines run commands; start it with --allow-tools to allow them';
}
