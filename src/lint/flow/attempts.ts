import type { ProgramNode } from '../../graph/program.js';
import type { StageStatus } from '../../graph/stage-status.js';

/** True for an outcome after which a stage is tried again (SEMANTICS 24–28). */
export function retries({ handler, retry }: ProgramNode, status: StageStatus): boolean {
  return status === 'fail' && handler.retriesFailure && retry.retriesFailure && retry.maxAttempts > 1;
}
