import type { Program } from '../graph/program.js';

/** True if a program's jumps may be refused because a stage has failed twice for the same reason, and something else follows. */
export function mayRefuseJumps({ nodes }: Program): boolean {
  for (const { jumpTargets, parallel, continuesOnFailure, edges, handler } of nodes.values()) {
    if (parallel !== undefined) return true;
    if (jumpTargets.length === 0) continue;
    const intoDiamond = edges.some(
      ({ condition, to }) => condition === undefined && nodes.get(to)?.handler.inheritsOutcome === true,
    );
    if (continuesOnFailure || (handler.failureReachesConditional && intoDiamond)) return true;
  }
  return false;
}
