import type { RunEvent } from '../machine/event.js';
import type { Question } from '../machine/interview.js';

export interface AskedQuestions {
  /** Still without an answer, in the order in which they were asked. */
  readonly open: readonly Question[];
  /** The ids of all that the journal knows. */
  readonly known: ReadonlySet<string>;
}

/** With these, the branch that asked has gone on without an answer. */
const movesOn: ReadonlySet<string> = new Set([
  'StageStarted',
  'StageCompleted',
  'StageFailed',
  'StageSkipped',
  'EdgeSelected',
  'ParallelBranchCompleted',
]);

const endsAll: ReadonlySet<string> = new Set(['PipelineCompleted', 'PipelineFailed', 'LoopRestarted']);

/**
 * Which questions of a run wait for somebody, by its journal (SEMANTICS 87). Needs no program, so that it can be known of
 * any run, at once and while it runs.
 */
export function openQuestions(events: readonly RunEvent[]): AskedQuestions {
  const open = new Map<string, { readonly question: Question; readonly branch: string | undefined }>();
  const known = new Set<string>();
  for (const event of events) {
    if (event.type === 'InterviewStarted') {
      known.add(event.question.id);
      open.set(event.question.id, { question: event.question, branch: event.branch });
    } else if (event.type === 'InterviewCompleted' || event.type === 'InterviewTimeout') {
      open.delete(event.question_id);
    } else if (endsAll.has(event.type) || (event.type === 'PipelineResumed' && event.node_id !== undefined)) {
      open.clear();
    } else if (movesOn.has(event.type) && !('resumed' in event)) {
      const branch = 'branch' in event ? event.branch : undefined;
      for (const [id, asked] of open) if (isIn(asked.branch, branch, event.type)) open.delete(id);
    }
  }
  return { open: [...open.values()].map(({ question }) => question), known };
}

/** A branch that ends takes those inside it along: their names begin with its own. */
function isIn(branch: string | undefined, moved: string | undefined, type: string): boolean {
  if (branch === moved) return true;
  return type === 'ParallelBranchCompleted' && branch?.startsWith(`${moved}/`) === true;
}
