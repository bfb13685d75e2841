import type { Question } from '../../machine/interview.js';
import { inform } from './inform.js';
import type { Interviewer } from './interviewer.js';

/** Child run that asks. */
export interface AskingChild {
  /** The node of the parent that runs the child. */
  readonly nodeId: string;
  /** Returns the run id of the child. */
  readonly runId: () => string;
}

const runKey = 'attractor.child_run';
const nodeKey = 'attractor.child_node';

/**
 * Connection from a child run to the people of its parent (§9.4). There its stages are called
 * `<node>/<stage>`, the ids of its questions begin with its run id, since every run counts separately, and
 * the metadata names the run and the stage that ask.
 */
export function childInterviewer(inner: Interviewer, { nodeId, runId }: AskingChild): Interviewer {
  return {
    ask: (question, signal, warn) => inner.ask(questionOfChild(question, nodeId, runId()), signal, warn),
    inform: (message, stage) => inform(inner, message, nameInParent(nodeId, stage)),
  };
}

/**
 * Name of a child's stage in the run above.
 * @param nodeId the node that runs the child
 */
export function nameInParent(nodeId: string, stage: string): string {
  return `${nodeId}/${stage}`;
}

/**
 * Question of a child in the form for the people of the run above. Questions of nested children were
 * converted by the child.
 */
export function questionOfChild(question: Question, nodeId: string, runId: string): Question {
  const { id, stage, metadata } = question;
  const placed = { ...question, stage: nameInParent(nodeId, stage) };
  if (metadata?.[runKey] !== undefined) return placed;
  return {
    ...placed,
    id: `${runId}.${id}`,
    metadata: { ...metadata, [runKey]: runId, [nodeKey]: stage },
  };
}
