import { cyclicGroups } from '../../graph/flow/cycles.js';
import { handlerTypeNamed } from '../../graph/handler-types.js';
import { perObject } from '../../graph/per-object.js';
import type { Program } from '../../graph/program.js';
import { predecessorsIn, successorsIn } from './live-keys.js';

/**
 * Nodes from which a failure may end the run, or their branch, although it has a route:
 * - A final failure that comes a second time for the same reason is not sent back, and its stage not entered again
 *   (SEMANTICS 127). For that a stage must be on a cycle.
 * - The pipeline that a stage runs may be missing or wrong, which is a fault of this pipeline and is not routed (Appendix D). A handler
 *   of a plugin may say so too.
 *
 * A diamond passes on the failures of the stages before it.
 */
export const failuresThatEnd = perObject((program: Program): ReadonlySet<string> => {
  const after = successorsIn(predecessorsIn(program));
  const successors = (id: string): readonly string[] => after.get(id) ?? [];
  const ids = [...program.nodes.keys()];
  const has = (column: 'inheritsOutcome' | 'runsChild', id: string): boolean =>
    program.nodes.get(id)?.handler[column] === true;
  const found = new Set(cyclicGroups(ids, successors).flat());
  for (const id of ids) if (has('runsChild', id) || !isBuiltIn(program, id)) found.add(id);
  for (const id of found) for (const to of successors(id)) if (has('inheritsOutcome', to)) found.add(to);
  return found;
});

function isBuiltIn({ nodes }: Program, id: string): boolean {
  return handlerTypeNamed(nodes.get(id)?.handler.type ?? '') !== undefined;
}
