import { graphAttribute } from '../../graph/attributes.js';
import type { Program } from '../../graph/program.js';
import type { RunBounds } from '../run-options.js';

/** Depth of a run below other runs, and the maximum for any run. */
export interface Levels {
  readonly depth: number;
  readonly maxDepth: number;
}

/**
 * The depth to which pipelines may be nested (§9.4): what the run above leaves, or what the pipeline itself says where that is less,
 * and no more than the bound of whoever executes the run.
 */
export function levelsOf(
  program: Program,
  { depth = 0, maxDepth = Number.POSITIVE_INFINITY }: Partial<Levels> = {},
  { maxDepth: bound = Number.POSITIVE_INFINITY }: Partial<RunBounds> = {},
): Levels {
  const ofAuthor = depth + graphAttribute(program.graph, 'limits.depth');
  return { depth, maxDepth: Math.min(maxDepth, ofAuthor, bound) };
}

/** The name of the limit of depth that a run has come to. */
export function depthLimitName({ maxDepth }: Levels, bounds: RunBounds | undefined): string {
  const isBound = bounds?.maxDepth !== undefined && maxDepth >= bounds.maxDepth;
  return isBound ? `\`${bounds.setBy} --max-depth\`` : '`limits.depth`';
}
