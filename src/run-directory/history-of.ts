import type { Manifest } from './manifest.js';

/** Runs whose branches on the remote have the commits from before a fork, the nearest first; none for any other run. */
export function historyOf({
  git,
  forked_from: source,
}: Pick<Manifest, 'git' | 'forked_from'>): readonly string[] {
  // Forks of earlier versions name only the run that they come from.
  return git?.history_of ?? (source === undefined ? [] : [source.run_id]);
}
