/** Locations and ids of runs, which make texts differ that are otherwise the same (DESIGN §4). */
export interface RunPlaces {
  readonly runDirectories: readonly string[];
  readonly workingDirectories: readonly string[];
}

const runId = /\d{8}-\d{6}-[^\s"'/<>]{1,80}?-[a-z2-7]{6}(?![a-z0-9])/g;

/** Times in the results of parallel branches, as values and in texts, which a prompt may hold. */
const branchTime = /(\\*"duration_ms\\*": ?)\d+/g;

/** Returns a function that removes anything from a text that depends on time or location of a run. */
export function withoutPlaces({ runDirectories, workingDirectories }: RunPlaces): (text: string) => string {
  const replacements = [
    ...runDirectories.map((directory) => [directory, '<run directory>'] as const),
    ...workingDirectories.map((directory) => [directory, '<working directory>'] as const),
  ]
    .filter(([directory]) => directory.length > 1)
    .sort(([one], [other]) => other.length - one.length);
  return (text) => {
    let result = text;
    for (const [directory, name] of replacements) result = result.replaceAll(directory, name);
    return result.replaceAll(runId, '<run id>').replaceAll(branchTime, (_time, field) => `${field}0`);
  };
}
