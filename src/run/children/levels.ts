import { graphAttribute } from '../../graph/attributes.js';
import type { Program } from '../../graph/program.js';

/** The depth of a run in other runs, and the depth that any run may have. */
export interface Levels {
  readonly depth: number;
  readonly maxDepth: number;
}

/**
 * The depth to which pipelines may be nested (§9.4): what the run above leaves, or what the pipeline itself says where that is less.
 */
export function levelsOf(
  program: Program,
  { depth = 0, maxDepth = Number.POSITIVE_INFINITY }: Partial<Levels> = {},
): Levels {
  return { depth, maxDepth: Math.min(maxDepth, depth + graphAttribute(program.graph, 'limits.depth')) };
}
