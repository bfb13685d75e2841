import { mostItems as usualMostItems } from '../../graph/parallel.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import type { BoundOptions } from './most-visits.js';
import type { Line } from './run-lines.js';

/**
 * Most of something that can be under way at the same time: of the stages of a line one, of a parallel node the branches that its
 * `max_parallel` allows.
 * @param own amount of a stage by itself while it is under way, that of its pipeline included
 */
export function mostAtOnce(
  program: Program,
  lines: readonly Line[],
  own: (node: ProgramNode) => number,
  { mostItems = usualMostItems }: BoundOptions = {},
): number {
  const [main] = lines;
  return main === undefined ? 0 : ofLine(main);

  function ofLine(line: Line): number {
    return Math.max(0, ...Array.from(line.nodes, (id) => ofNode(line, program.nodes.get(id))));
  }

  function ofNode(line: Line, node: ProgramNode | undefined): number {
    if (node === undefined) return 0;
    const { parallel } = node;
    if (parallel === undefined) return own(node);
    const branches = lines.filter(({ fork }) => fork?.line === line && fork.node === node);
    const most = branches.map(ofLine);
    if (parallel.foreach !== undefined) return Math.min(parallel.maxParallel, mostItems) * (most[0] ?? 0);
    const largest = [...most].sort((one, other) => other - one).slice(0, parallel.maxParallel);
    return largest.reduce((sum, each) => sum + each, 0);
  }
}
