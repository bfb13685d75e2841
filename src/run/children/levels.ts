import { graphAttribute } from '../../graph/attributes.js';
import type { Program } from '../../graph/program.js';

/** How deep in other runs a run is, and how deep any run may be. */
export interface Levels {
  readonly depth: number;
  readonly maxDepth: number;
}

/**
 * How deep pipelines may be nested (§9.4): what the run above leaves, or what the pipeline itself says where that is less.
 */
export function levelsOf(
  program: Program,
  { depth = 0, maxDepth = Number.POSITIVE_INFINITY }: Partial<Levels> = {},
): Levels {
  return { depth, maxDepth: Math.min(maxDepth, depth + graphAttribute(program.graph, 'limits.depth')) };
}
