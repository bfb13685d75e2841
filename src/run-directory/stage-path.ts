import type { Program } from '../graph/program.js';
import type { BranchOrigin, RunState } from '../machine/state.js';

/** File in which a stage reports its outcome. */
export const statusFileName = 'status.json';

/** File with the results of the branches of a parallel node. */
export const parallelResultsFileName = 'parallel-results.json';

/** Part of a run's state that determines paths. */
export interface PlacedRun extends Pick<RunState, 'restarts'> {
  readonly cursors: ReadonlyMap<string, { readonly branch: Omit<BranchOrigin, 'scope'> | undefined }>;
}

/**
 * Path of a stage's files, relative to the run directory (SEMANTICS 36, 54): `<node id>`, below
 * `restart-<n>/` once the pipeline was restarted, and with `branch-<i>` after it if several branches may
 * execute the node.
 * @param cursorId the cursor that executes it
 */
export function stagePath(
  program: Pick<Program, 'nodes'>,
  state: PlacedRun,
  cursorId: string,
  nodeId: string,
): string {
  const stage = `${nodeId}${branchPart(program, state, cursorId, nodeId)}`;
  return state.restarts === 0 ? stage : `${restartDirectory(state)}/${stage}`;
}

/** Directory of the stages' files since the latest restart: the run directory itself before the first. */
export function restartDirectory({ restarts }: Pick<RunState, 'restarts'>): string {
  return restarts === 0 ? '' : `restart-${restarts}`;
}

/** Path with one part for each enclosing parallel node, the outermost first. */
function branchPart(
  program: Pick<Program, 'nodes'>,
  state: PlacedRun,
  cursorId: string,
  nodeId: string,
): string {
  const branch = state.cursors.get(cursorId)?.branch;
  if (branch === undefined) return '';
  const outer = branchPart(program, state, branch.parent, nodeId);
  const isShared = program.nodes.get(branch.parallelId)?.parallel?.sharedNodes.has(nodeId) === true;
  return isShared ? `${outer}/branch-${branch.index + 1}` : outer;
}

/**
 * True for an entry in a stage's directory that belongs to another visit, or to a branch that executes it
 * too.
 */
export function isOfOthers(name: string): boolean {
  return /^(?:visit|branch)-[0-9]+$/.test(name);
}

/** Files that an attempt writes under names of the engine, and that its next one would overwrite. */
export const filesOfAttempt = [
  'prompt.md',
  'response.md',
  'stdout.log',
  'stderr.log',
  'agent-prompt.md',
  'agent-stdout.log',
  'agent-stderr.log',
];

/** Number of earlier attempts of a visit whose files are kept. */
export const attemptsKept = 10;

/** Directory for the files of an earlier attempt, in that of its stage (SEMANTICS 71b). */
export function attemptDirectory(attempt: number): string {
  return `attempt-${attempt}`;
}
