import type { ProgramNode } from '../graph/program.js';
import type { Files } from '../machine/files.js';
import type { Outcome } from '../machine/outcome.js';
import type { RunState } from '../machine/state.js';

/**
 * Keeps the files that stages work on by commits, so that every step of a run has its own. A port: the engine knows of commits only
 * that they have names. What goes wrong with the files themselves is thrown and ends the run for this process, which can be
 * resumed; what branches contradict each other in is the failure of the stage where they meet.
 */
export interface Workspace {
  /** In which directory the stages of a line work. */
  directoryOf(files: Files): string;
  /** Makes the files ready for an attempt, and takes in what branches left. @throws RunError */
  before(stage: WorkspaceStage): Promise<Prepared>;
  /** Commits what an attempt left, for the next stage to continue from. @throws RunError */
  keep(stage: WorkspaceStage, prepared: string, outcome: Outcome): Promise<Kept>;
  /** Puts aside what an attempt left that another one follows. @throws RunError */
  rollBack(stage: WorkspaceStage): Promise<void>;
  /** The attempt came to nothing: its files stay as they are until somebody continues. */
  leave(stage: WorkspaceStage): void;
  /** Takes away what only the branches that have ended had need of. @param tell is told what could not be, and why */
  close(state: RunState, tell: (message: string) => void): Promise<void>;
}

/** One attempt, as far as its files are concerned. */
export interface WorkspaceStage {
  readonly node: ProgramNode;
  readonly files: Files;
  readonly visit: number;
  readonly attempt: number;
  /** The lines of files that somebody works on now. */
  liveLines(): ReadonlySet<string>;
  warn(message: string): void;
}

/** Where an attempt begins, or why it cannot. */
export type Prepared =
  | { readonly kind: 'ready'; readonly commit: string }
  | { readonly kind: 'conflict'; readonly outcome: Outcome };

export interface Kept {
  /** As the stage reported it, unless its files cannot be kept. */
  readonly outcome: Outcome;
  /** Missing where they are not. */
  readonly commit: string | undefined;
}

/** Names of the lines of files that cursors still work on. */
export function liveLines({ cursors }: RunState): ReadonlySet<string> {
  return new Set([...cursors.values()].flatMap(({ files }) => (files === undefined ? [] : [files.line])));
}
