import { evaluateCondition } from '../../graph/evaluate-condition.js';
import type { ProgramNode } from '../../graph/program.js';
import type { StageStatus } from '../../graph/stage-status.js';
import type { FlowValues, Said } from './flow-state.js';
import { type Knowledge, scopeOf } from './judged.js';

/** True for an outcome after which a stage is tried again (SEMANTICS 24–28). */
export function retries({ handler, retry }: ProgramNode, status: StageStatus): boolean {
  return status === 'fail' && handler.retriesFailure && retry.retriesFailure && retry.maxAttempts > 1;
}

/** True for a failure of which a script says that it is final, each time with another reason. */
export function isEndedByScript(node: ProgramNode, status: StageStatus): boolean {
  return retries(node, status) || (status === 'fail' && node.ownRules?.retryWhen !== undefined);
}

/**
 * Number of attempts that end alike before a visit ends as a search says (SEMANTICS 24–28, 103).
 * @param said status of the stage itself; a script can say that its failure is final
 * @param own outcome after the rules of its node
 * @returns undefined if the search does not know it
 */
export function attemptsFor(
  node: ProgramNode,
  said: StageStatus,
  own: Said,
  values: FlowValues,
  { keys, isFree }: Knowledge,
): number | undefined {
  const { handler, retry, ownRules } = node;
  if (own.status !== 'fail' || !handler.retriesFailure || retry.maxAttempts <= 1) return 1;
  const retryWhen = ownRules?.retryWhen;
  if (retryWhen === undefined) return said !== 'fail' && retry.retriesFailure ? retry.maxAttempts : 1;
  if (!isFree && !keys.isFollowed(retryWhen)) return undefined;
  return evaluateCondition(retryWhen, scopeOf(own, values)) ? retry.maxAttempts : 1;
}
