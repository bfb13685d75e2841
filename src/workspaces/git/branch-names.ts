/** The git branch on which the stages of a run are committed. */
export function branchOfRun(runId: string): string {
  return `attractor/${refSafe(runId)}`;
}

/**
 * The git branch of a line of files: a branch of a parallel node has its own, besides that of the run, since git has no branch
 * below the name of another one.
 * @param line empty for the main line
 */
export function branchOfLine(runId: string, line: string): string {
  return line === '' ? branchOfRun(runId) : `${branchOfRun(runId)}.branches/${line}`;
}

/** The git ref that keeps what is on no branch, as what a failed stage left. */
export function refBeside(runId: string, why: 'failed' | 'undone' | 'stopped', name: string): string {
  return `refs/${branchOfRun(runId)}/${why}/${refSafe(name)}`;
}

/** What git does not take in the name of a branch becomes a hyphen. */
export function refSafe(name: string): string {
  const safe = name.replace(/[^\w.+=-]/g, '-').replace(/\.{2,}/g, '.');
  return safe.replace(/^\.|\.$|\.lock$/g, '-');
}
