import type { Outcome } from '../../machine/outcome.js';
import type { WorkspaceStage } from '../workspace.js';

/** Subject of a commit of a run. */
export interface CommitSubject {
  readonly runId: string;
  readonly stage: Pick<WorkspaceStage, 'node' | 'visit' | 'attempt'>;
  /** Description of the work, in one line. */
  readonly text: string;
  /** Outcome of the stage, if it has ended. */
  readonly outcome?: Outcome;
}

const longestSubject = 50;
const longestReason = 500;

/** Message of a commit: the stage in the subject, the run and the attempt in trailers. */
export function commitMessage({ runId, stage, text, outcome }: CommitSubject): string {
  const { node, visit, attempt } = stage;
  const reason = outcome?.failure_reason === undefined ? '' : oneLine(outcome.failure_reason, longestReason);
  const trailers = [
    `Attractor-Run: ${oneLine(runId, longestReason)}`,
    `Attractor-Node: ${oneLine(node.id, longestReason)}`,
    `Attractor-Visit: ${visit}`,
    `Attractor-Attempt: ${attempt}`,
    ...(outcome === undefined ? [] : [`Attractor-Outcome: ${outcome.status}`]),
  ];
  const subject = `attractor(${oneLine(node.id, longestReason)}): ${oneLine(text, longestSubject)}`;
  return `${[subject, ...(reason === '' ? [] : [reason]), trailers.join('\n')].join('\n\n')}\n`;
}

/**
 * Description of a stage: its label if it is not just the id, else the first line of its notes or failure
 * reason, else its status.
 */
export function workOf(
  { node }: Pick<WorkspaceStage, 'node'>,
  { status, notes, failure_reason }: Outcome,
): string {
  if (node.label !== node.id && oneLine(node.label, longestSubject) !== '') return node.label;
  const said = (notes ?? failure_reason ?? '').trim().split('\n', 1)[0] ?? '';
  return said === '' ? status : said;
}

/** Joins lines: texts of authors and models must not begin another line, where git would read trailers. */
function oneLine(text: string, longest: number): string {
  const characters = [...text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, ' ').trim()];
  if (characters.length <= longest) return characters.join('');
  return `${characters
    .slice(0, longest - 1)
    .join('')
    .trimEnd()}…`;
}
