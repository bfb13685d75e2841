import type { ProgramNode } from '../graph/program.js';
import type { Files } from '../machine/files.js';
import type { Outcome } from '../machine/outcome.js';
import type { RunState } from '../machine/state.js';

/**
 * Keeps the files of stages as commits, one for every step of a run. A port: the engine knows only the
 * names of commits. A failure to keep files is thrown and ends this execution of the run, which can be
 * resumed; a merge conflict is the failure of the stage at which branches meet.
 */
export interface Workspace {
  /** Directory in which the stages of a line work. */
  directoryOf(files: Files): string;
  /**
   * Prepares the files for an attempt, and merges those of branches.
   * @throws RunError
   */
  before(stage: WorkspaceStage): Promise<Prepared>;
  /**
   * Commits the files of an attempt as they are now, for one that continues its conversation (SEMANTICS 123).
   * @returns the commit; null if that is not possible
   * @throws RunError
   */
  snapshot(stage: WorkspaceStage): Promise<string | null>;
  /**
   * Commits the files of an attempt, for the next stage to continue from.
   * @throws RunError
   */
  keep(stage: WorkspaceStage, prepared: string, outcome: Outcome): Promise<Kept>;
  /**
   * Puts aside the files of an attempt that will be retried.
   * @throws RunError
   */
  rollBack(stage: WorkspaceStage): Promise<void>;
  /** Ends an attempt without outcome: its files stay as they are until the run is resumed. */
  leave(stage: WorkspaceStage): void;
  /**
   * Removes the work trees of ended branches.
   * @param tell called with each failure
   */
  close(state: RunState, tell: (message: string) => void): Promise<void>;
}

/** One attempt, with what concerns its files. */
export interface WorkspaceStage {
  readonly node: ProgramNode;
  readonly files: Files;
  readonly visit: number;
  readonly attempt: number;
  /** Files with which the attempt continues the conversation of an earlier one. */
  readonly continued?: ContinuedFiles | undefined;
  /** Lines of files that cursors work on now. */
  liveLines(): ReadonlySet<string>;
  warn(message: string): void;
}

/** Files of a conversation that continues: those of a commit, or those that are there. */
export type ContinuedFiles =
  | { readonly kind: 'commit'; readonly commit: string }
  | { readonly kind: 'as_left' };

/** Commit at which an attempt begins, or the outcome if its branches conflict. */
export type Prepared =
  | {
      readonly kind: 'ready';
      readonly commit: string;
      /** False if the files of the conversation are lost: the attempt begins with those from before the stage. */
      readonly isContinued?: boolean;
    }
  | { readonly kind: 'conflict'; readonly outcome: Outcome };

export interface Kept {
  /** Outcome that the stage reported, unless its files cannot be kept. */
  readonly outcome: Outcome;
  /** Undefined if the files are not committed. */
  readonly commit: string | undefined;
}

/** Names of the lines of files that cursors still work on. */
export function liveLines({ cursors }: RunState): ReadonlySet<string> {
  return new Set([...cursors.values()].flatMap(({ files }) => (files === undefined ? [] : [files.line])));
}
