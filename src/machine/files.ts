import type { Program } from '../graph/program.js';
import type { PersistentMap } from './persistent.js';

/**
 * Where the files stand that the stages of a cursor work on, in a run that keeps them by commits. Each branch of
 * a parallel node has a line of its own.
 */
export interface Files {
  /** Empty for the main line of the run. */
  readonly line: string;
  /** What its last stage left; an attempt that is under way begins there. */
  readonly commit: string;
  /** What the branches of a parallel node left, until the stage where they meet takes it in. */
  readonly unmerged: readonly BranchFiles[];
  /** Set while an attempt runs again that was cut off. */
  readonly isResumed: boolean;
}

/** What a branch left that ended well; one may end before branches of its own were taken in. */
export interface BranchFiles {
  /** The first node of the branch. */
  readonly id: string;
  readonly files: Files;
}

/** The files of a run that begins. */
export function filesAt(commit: string, line = ''): Files {
  return { line, commit, unmerged: [], isResumed: false };
}

/** The files when a stage has left a commit: whatever it was to take in is in there. */
export function filesAfter(files: Files | undefined, commit: string | undefined): Files | undefined {
  if (files === undefined || commit === undefined) return files;
  return filesAt(commit, files.line);
}

/**
 * The name of a line of files in its run: that of the branch, in characters that a workspace can use in names of its own, and the
 * ordinal of the visit after it where that is not the first.
 */
export function lineOf(
  branch: string,
  forking: { readonly visit: number; readonly index: number },
  restarts: number,
): string {
  const name = branch.replaceAll('/', '+').replaceAll('#', '-');
  return forking.visit === 1 && restarts === 0 ? name : `${name}.${forking.index}`;
}

/** What is known of the branches of a parallel node, by their indices. */
interface EndedBranches {
  readonly results: { get(index: number): { readonly id: string } | undefined };
  readonly unfinished: { has(index: number): boolean };
  readonly files: PersistentMap<number, Files>;
}

/** Of the branches of a parallel node those that ended well, in the order of its edges. */
export function branchesToTakeIn({ results, unfinished, files }: EndedBranches): readonly BranchFiles[] {
  return [...files]
    .filter(([index]) => !unfinished.has(index))
    .sort(([one], [other]) => one - other)
    .map(([index, left]) => ({ id: results.get(index)?.id ?? '', files: left }));
}

/** The same and those inside of them, each after the one around it. */
export function allBranches(branches: readonly BranchFiles[]): readonly BranchFiles[] {
  return branches.flatMap((branch) => [branch, ...allBranches(branch.files.unmerged)]);
}

/** By which name the state before the last visit of a node is kept; every branch has one of its own besides. */
export function placeBefore(nodeId: string, branch?: string): string {
  return branch === undefined ? nodeId : `${branch}\n${nodeId}`;
}

/** Whether a stage that failed continues where it stopped when the run is resumed: what it ran was a pipeline (§9.4). */
export function goesOnInside(program: Program, nodeId: string): boolean {
  return program.nodes.get(nodeId)?.handler.runsChild === true;
}
