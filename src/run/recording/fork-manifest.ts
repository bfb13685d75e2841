import type { RunState } from '../../machine/state.js';
import { historyOf, type Manifest } from '../../run-directory/manifest.js';
import { restartDirectory } from '../../run-directory/stage-path.js';
import { version } from '../../version.js';

/** Identity of a fork. */
export interface Fork {
  readonly runId: string;
  /** Last event that it shares. */
  readonly seq: number;
  /** State after that event. */
  readonly state: RunState;
  /** Time at which it is made, in milliseconds since 1970. */
  readonly now: number;
}

/**
 * Manifest of a fork. A child that is forked becomes independent.
 * @param original text of the manifest of the run that it comes from
 */
export function forkedManifest(original: string, { runId, seq, state, now }: Fork): string {
  const source = JSON.parse(original) as Manifest;
  const { git } = source;
  const {
    active_directory: _active,
    in_cluster: _cluster,
    parent: _parent,
    depth: _depth,
    max_depth: _max,
    ...others
  } = source;
  const manifest = {
    ...others,
    run_id: runId,
    start_time: new Date(now).toISOString(),
    attractor_version: version,
    parent_run: null,
    git: git?.remote === undefined ? git : { ...git, history_of: [others.run_id, ...historyOf(source)] },
    forked_from: { run_id: others.run_id, seq },
    active_directory: state.restarts > 0 ? restartDirectory(state) : undefined,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
