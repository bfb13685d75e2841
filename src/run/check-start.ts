import { onlyInBranches } from '../graph/flow/only-in-branches.js';
import type { Program } from '../graph/program.js';
import { RunError } from '../run-directory/run-error.js';

/**
 * @throws RunError `usage` for a start node that the pipeline does not have, or that only branches run
 * (SEMANTICS 48)
 */
export function checkStart(program: Program, nodeId: string | undefined): void {
  if (nodeId === undefined) return;
  if (!program.nodes.has(nodeId))
    throw usage(`the run cannot continue at "${nodeId}", which is not a node of its pipeline`);
  const parallelId = parallelAround(program, nodeId);
  if (parallelId === undefined) return;
  throw usage(
    `the run cannot continue at "${nodeId}", which runs only in branches of "${parallelId}". Name "${parallelId}" instead to run all of its branches again, or omit the node: the run then continues where it stopped, without repeating finished stages`,
  );
}

/** Parallel node of the main line in whose branches alone a node runs. */
function parallelAround({ graph, nodes }: Program, nodeId: string): string | undefined {
  const joins = new Map<string, string>();
  for (const { id, parallel } of nodes.values()) if (parallel !== undefined) joins.set(id, parallel.joinId);
  return onlyInBranches(graph, joins).get(nodeId);
}

function usage(message: string): RunError {
  return new RunError('usage', message);
}
