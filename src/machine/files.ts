import type { Program } from '../graph/program.js';
import type { PersistentMap } from './persistent.js';

/**
 * Files of a cursor's stages, in a run that keeps them by commits. Each branch of a parallel node has a
 * separate line.
 */
export interface Files {
  /** Empty for the main line of the run. */
  readonly line: string;
  /** Commit of its last stage; a running attempt begins there. */
  readonly commit: string;
  /** Files of the branches of a parallel node, until the stage where they meet merges them. */
  readonly unmerged: readonly BranchFiles[];
  /** True while an interrupted attempt runs again. */
  readonly isResumed: boolean;
}

/** Files of a successful branch; it may end before branches inside of it are merged. */
export interface BranchFiles {
  /** The first node of the branch. */
  readonly id: string;
  readonly files: Files;
}

/** The files of a run that begins. */
export function filesAt(commit: string, line = ''): Files {
  return { line, commit, unmerged: [], isResumed: false };
}

/** Files after a stage has made a commit: it includes the branches that were to be merged. */
export function filesAfter(files: Files | undefined, commit: string | undefined): Files | undefined {
  if (files === undefined || commit === undefined) return files;
  return filesAt(commit, files.line);
}

/**
 * Name of a line of files in its run: that of the branch, in characters that a workspace can use, followed
 * by the ordinal of the visit unless it is the first.
 */
export function lineOf(
  branch: string,
  forking: { readonly visit: number; readonly index: number },
  restarts: number,
): string {
  const name = branch.replaceAll('/', '+').replaceAll('#', '-');
  return forking.visit === 1 && restarts === 0 ? name : `${name}.${forking.index}`;
}

/** Ended branches of a parallel node, by their indices. */
interface EndedBranches {
  readonly results: { get(index: number): { readonly id: string } | undefined };
  readonly unfinished: { has(index: number): boolean };
  readonly files: PersistentMap<number, Files>;
}

/** Successful branches of a parallel node, in the order of its edges. */
export function branchesToMerge({ results, unfinished, files }: EndedBranches): readonly BranchFiles[] {
  return [...files]
    .filter(([index]) => !unfinished.has(index))
    .sort(([one], [other]) => one - other)
    .map(([index, left]) => ({ id: results.get(index)?.id ?? '', files: left }));
}

/** The branches and those inside of them, each after the enclosing one. */
export function allBranches(branches: readonly BranchFiles[]): readonly BranchFiles[] {
  return branches.flatMap((branch) => [branch, ...allBranches(branch.files.unmerged)]);
}

/** Key of the state before the last visit of a node; every branch has a separate one besides. */
export function filesBeforeKey(nodeId: string, branch?: string): string {
  return branch === undefined ? nodeId : `${branch}\n${nodeId}`;
}

/**
 * True if a failed stage continues where it stopped when the run is resumed, because it ran a pipeline
 * (§9.4).
 */
export function resumesInside(program: Program, nodeId: string): boolean {
  return program.nodes.get(nodeId)?.handler.runsChild === true;
}
