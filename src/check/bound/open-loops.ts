import { cyclicGroups, shortestCycle } from '../../graph/flow/cycles.js';
import type { Program } from '../../graph/program.js';
import type { Line, Move } from './run-lines.js';

/** Loop that no limit of its own ends: only `max_steps` does. */
export interface OpenLoop {
  /** From a node back to it, both ends included. */
  readonly nodes: readonly string[];
  /** The move that leads back. */
  readonly back: Pick<Move, 'from' | 'to' | 'kind'>;
}

/** One loop for each group of nodes that lead to each other without a node with `max_visits`. */
export function openLoops(program: Program, lines: readonly Line[]): readonly OpenLoop[] {
  const loops = new Map<string, OpenLoop>();
  for (const line of lines) {
    const isOpen = (id: string): boolean =>
      line.nodes.has(id) && (id === program.startId || program.nodes.get(id)?.maxVisits === undefined);
    const moves = line.moves.filter(
      ({ from, to, kind }) => kind !== 'goal_gate' && kind !== 'restart' && isOpen(from) && isOpen(to),
    );
    const after = new Map<string, string[]>();
    for (const { from, to } of moves) after.set(from, [...(after.get(from) ?? []), to]);
    const next = (id: string): readonly string[] => after.get(id) ?? [];
    for (const group of cyclicGroups([...line.nodes].filter(isOpen), next)) {
      const inGroup = new Set(group);
      // The node that comes first in the text is where people begin to read the loop.
      const first = [...program.nodes.keys()].find((id) => inGroup.has(id)) ?? '';
      const nodes = shortestCycle(first, inGroup, next);
      const last = nodes.at(-2) ?? first;
      const back = moves.find(({ from, to }) => from === last && to === first);
      if (back !== undefined) loops.set(nodes.join('\n'), { nodes, back });
    }
  }
  return [...loops.values()];
}
