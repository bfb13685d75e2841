import type { BehaviourChange } from '../../diff/behaviour.js';
import type { VersionDifference } from './compare-versions.js';
import { scriptJson } from './script-json.js';

/** A difference for programs. */
export function differenceJson({
  before,
  after,
  difference,
  isSame,
  behaviour,
  bounds,
}: VersionDifference): object {
  const { pipeline, nodes, edges } = difference;
  const shown = (changes: readonly BehaviourChange[] = []): readonly object[] =>
    changes.map(({ script, ...change }) => ({ ...change, script: scriptJson(script) }));
  return {
    old: before.version.name,
    new: after.version.name,
    is_same: isSame,
    pipeline,
    nodes,
    edges,
    behaviour:
      behaviour === undefined
        ? null
        : {
            appeared: shown(behaviour.appeared),
            disappeared: shown(behaviour.disappeared),
            undecided: behaviour.undecided,
          },
    bounds: bounds ?? null,
  };
}
