import type { Trial } from './explore.js';

/**
 * The fewest trials that greedy choice finds to cover all that any of them covers: each time the one that covers most of
 * the rest, of equals the simpler one. There may be a smaller set, but finding it takes too long.
 * @param before what is covered already
 */
export function chooseTrials(
  trials: readonly Trial[],
  before: ReadonlySet<string> = new Set(),
): readonly Trial[] {
  const open = new Set(trials.flatMap(({ covered }) => [...covered]).filter((id) => !before.has(id)));
  const chosen: Trial[] = [];
  while (open.size > 0) {
    let best: { readonly trial: Trial; readonly gain: number } | undefined;
    for (const trial of trials) {
      const gain = [...trial.covered].filter((id) => open.has(id)).length;
      const isBetter =
        best === undefined || gain > best.gain || (gain === best.gain && isSimpler(trial, best.trial));
      if (gain > 0 && isBetter) best = { trial, gain };
    }
    if (best === undefined) break;
    chosen.push(best.trial);
    for (const id of best.trial.covered) open.delete(id);
  }
  return withoutNeedless(chosen, before);
}

function isSimpler(one: Trial, other: Trial): boolean {
  const costOf = ({ isCutOff, deviations, seen }: Trial): number =>
    (isCutOff ? 1_000_000 : 0) + 1000 * deviations.length + seen.path.length;
  return costOf(one) < costOf(other);
}

/** Without the trials that later ones have made needless. */
function withoutNeedless(chosen: readonly Trial[], before: ReadonlySet<string>): readonly Trial[] {
  let kept = chosen;
  for (const trial of chosen) {
    const others = kept.filter((one) => one !== trial);
    const covered = new Set([...before, ...others.flatMap((one) => [...one.covered])]);
    if ([...trial.covered].every((id) => covered.has(id))) kept = others;
  }
  return kept;
}
