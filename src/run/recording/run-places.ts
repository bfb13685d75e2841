/** What makes texts of two runs differ although they say the same: the places and the ids of the runs (DESIGN §4). */
export interface RunPlaces {
  readonly runDirectories: readonly string[];
  readonly workingDirectories: readonly string[];
}

const runId = /\d{8}-\d{6}-[^\s"'/<>]{1,80}?-[a-z2-7]{6}(?![a-z0-9])/g;

/** In the results of parallel branches, which a prompt may hold. */
const branchTime = /(\\*"duration_ms\\*": ?)\d+/g;

/** A text without what hangs on when and where a run took place. */
export function withoutPlaces({ runDirectories, workingDirectories }: RunPlaces): (text: string) => string {
  const places = [
    ...runDirectories.map((place) => [place, '<run directory>'] as const),
    ...workingDirectories.map((place) => [place, '<working directory>'] as const),
  ]
    .filter(([place]) => place.length > 1)
    .sort(([one], [other]) => other.length - one.length);
  return (text) => {
    let plain = text;
    for (const [place, name] of places) plain = plain.replaceAll(place, name);
    return plain.replaceAll(runId, '<run id>').replaceAll(branchTime, '$1<time>');
  };
}
