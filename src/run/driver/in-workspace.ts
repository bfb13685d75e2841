import type { ProgramNode } from '../../graph/program.js';
import { StageCrash } from '../../handlers/handler.js';
import { reasonOf } from '../../machine/outcome.js';
import { judgeAttempt } from '../../machine/retry.js';
import { cursorNamed, type RunState } from '../../machine/state.js';
import type { Kept, Workspace, WorkspaceStage } from '../../workspaces/workspace.js';
import type { AttemptResult } from './run-attempt.js';
import type { ConversationWorkspace } from './visit-conversation.js';

/** Attempt between the preparation and the keeping of its files. */
export interface KeptAttempt {
  readonly workspace: Workspace;
  readonly stage: WorkspaceStage;
  /** True if its result is still needed. */
  isWanted(): boolean;
  /** True if branches begin instead. */
  readonly fansOut: boolean;
  run(files: ConversationWorkspace): AttemptResult | Promise<AttemptResult>;
  /** True if the next attempt can continue the conversation of this one, with its files (SEMANTICS 123). */
  isOpen(): boolean;
}

type SettledAttempt = Extract<AttemptResult, { readonly kind: 'settled' }>;

/** Result of an attempt with its files. */
export type KeptResult =
  | ({ readonly kind: 'settled' } & Pick<SettledAttempt, 'simulated' | 'workedMs'> & Kept)
  | { readonly kind: 'fans_out'; readonly commit: string | undefined }
  | { readonly kind: 'suspended'; readonly reason: string }
  | { readonly kind: 'unwanted' };

/** True if the files of a stage need work: no-op stages leave none, but branches may meet there. */
export function hasFiles(node: ProgramNode, state: RunState, cursorId: string): boolean {
  const { files } = cursorNamed(state, cursorId);
  return files !== undefined && (!node.handler.instant || files.unmerged.length > 0);
}

/**
 * Runs an attempt in the workspace of its run: its files are prepared before, and committed or rolled back
 * after it.
 */
export async function attemptInWorkspace(attempt: KeptAttempt): Promise<KeptResult> {
  const { workspace, stage, fansOut } = attempt;
  let prepared = await workspace.before(stage);
  if (!attempt.isWanted()) return leave(attempt);
  if (prepared.kind === 'conflict') return { kind: 'settled', outcome: prepared.outcome, commit: undefined };
  if (fansOut) {
    workspace.leave(stage);
    return { kind: 'fans_out', commit: prepared.commit };
  }
  let { commit } = prepared;
  const result = await attempt.run({
    state: stage.continued === undefined ? 'as_before' : prepared.isContinued ? 'continued' : 'lost',
    snapshot: () => workspace.snapshot(stage),
    async putBack() {
      prepared = await workspace.before({ ...stage, continued: undefined });
      if (prepared.kind === 'conflict') throw new StageCrash(reasonOf(prepared.outcome));
      commit = prepared.commit;
    },
  });
  if (!attempt.isWanted()) return leave(attempt);
  if (result.kind === 'suspended') {
    workspace.leave(stage);
    return result;
  }
  const { outcome, simulated, workedMs } = result;
  if (judgeAttempt(stage.node, outcome, stage.attempt).kind === 'retry') {
    if (attempt.isOpen()) workspace.leave(stage);
    else await workspace.rollBack(stage);
    return { kind: 'settled', outcome, simulated, workedMs, commit: undefined };
  }
  return { kind: 'settled', simulated, workedMs, ...(await workspace.keep(stage, commit, outcome)) };
}

function leave({ workspace, stage }: KeptAttempt): KeptResult {
  workspace.leave(stage);
  return { kind: 'unwanted' };
}
