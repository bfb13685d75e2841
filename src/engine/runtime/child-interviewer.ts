import type { Question } from '../machine/interview.js';
import { inform } from './inform.js';
import type { Interviewer } from './interviewer.js';

/** Who asks. */
export interface AskingChild {
  /** The node of the parent that runs the child. */
  readonly nodeId: string;
  /** The run id of the child. */
  readonly runId: () => string;
}

const runKey = 'attractor.child_run';
const nodeKey = 'attractor.child_node';

/**
 * The way from a child run to the people of its parent (§9.4). There its stages are called `<node>/<stage>`, the ids of its
 * questions begin with its run id, since every run counts its own, and the metadata says which run and stage ask.
 */
export function childInterviewer(inner: Interviewer, child: AskingChild): Interviewer {
  const placed = (stage: string): string => `${child.nodeId}/${stage}`;
  return {
    ask: (question, signal, warn) =>
      inner.ask({ ...toldOf(question, child), stage: placed(question.stage) }, signal, warn),
    inform: (message, stage) => inform(inner, message, placed(stage)),
  };
}

/** What a child of the child asks, the child has told of already. */
function toldOf(question: Question, child: AskingChild): Question {
  const { id, stage, metadata } = question;
  if (metadata?.[runKey] !== undefined) return question;
  const runId = child.runId();
  return {
    ...question,
    id: `${runId}.${id}`,
    metadata: { ...metadata, [runKey]: runId, [nodeKey]: stage },
  };
}
