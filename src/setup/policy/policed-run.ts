import type { BackendEnvironment } from '../../backends/backend.js';
import type { ChosenExtensions } from '../../plugins/load-extensions.js';

/** Permissions of a submitted pipeline on this machine. */
export interface Policy {
  /**
   * Permission to run commands: tool stages, hooks, coding agents, the command tool of models, git. Without
   * it such stages are refused when the pipeline is posted, and fail if they turn up later (as in a
   * pipeline that a stage runs).
   */
  readonly allowTools: boolean;
  /** Process that has the policy, for messages; a server by default. */
  readonly holder?: 'server' | 'worker';
}

/** Requested run, with the facts that matter for the policy of the server on which it begins, or began. */
export interface PolicedRun extends Pick<BackendEnvironment, 'variables' | 'workingDirectory'> {
  readonly policy: Policy;
  /** Extensions of the configuration, with the choice of the submission. */
  readonly extensions: ChosenExtensions;
  /** True if its stages are simulated, so that nothing is run. */
  readonly simulate: boolean;
  /** True if a server without `--allow-tools` began it, and no later call has lifted that. */
  readonly isRestricted?: boolean;
  /** True if git keeps its files, whatever its pipeline says, because it was begun elsewhere with `--git`. */
  readonly keptByGit?: boolean;
}

/** True if its stages may run commands. */
export function mayRunCommands({ policy, isRestricted = false }: PolicedRun): boolean {
  return policy.allowTools && !isRestricted;
}

/** Advice on how to allow commands, as the end of a sentence. */
export function howAllowed({ policy, isRestricted }: PolicedRun): string {
  return policy.allowTools && isRestricted
    ? 'the run was started on a server that does not let pipelines run commands; --allow-tools of `attractor resume` and `attractor fork` allows them for this run'
    : `this ${policy.holder ?? 'server'} does not let pipelines run commands; start it with --allow-tools to allow them`;
}
