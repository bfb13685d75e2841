/** Git branch on which the stages of a run are committed. */
export function branchOfRun(runId: string): string {
  return `attractor/${refSafe(runId)}`;
}

/**
 * Git branch of a line of files. Branches of parallel nodes are below a name next to that of the run, since
 * git has no branch below the name of another one.
 * @param line empty for the main line
 */
export function branchOfLine(runId: string, line: string): string {
  return line === '' ? branchOfRun(runId) : `${branchOfRun(runId)}.branches/${line}`;
}

/** Git ref that keeps files that are on no branch, such as those of a failed stage. */
export function refAside(runId: string, why: 'failed' | 'undone' | 'stopped', name: string): string {
  return `refs/${branchOfRun(runId)}/${why}/${refSafe(name)}`;
}

/** Git ref of the files of a stage whose conversation may have to continue. */
export function refOfConversation(runId: string, name: string): string {
  return `refs/${branchOfRun(runId)}/conversation/${refSafe(name)}`;
}

/** Replaces everything that git rejects in the name of a branch by a hyphen. */
export function refSafe(name: string): string {
  const safe = name.replace(/[^\w.+=-]/g, '-').replace(/\.{2,}/g, '.');
  return safe.replace(/^\.|\.$|\.lock$/g, '-');
}
