/**
 * Groups of nodes on cycles: of every two nodes in a group, each leads to the other. A single node is a
 * group if it leads to itself. Linear in nodes and transitions, whatever their depth (Tarjan's search with
 * an explicit stack).
 */
export function cyclicGroups(
  nodes: Iterable<string>,
  successors: (id: string) => readonly string[],
): readonly (readonly string[])[] {
  const groups: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  for (const root of nodes) {
    if (order.has(root)) continue;
    const path = [begin(root)];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.rest[top.taken];
      top.taken += 1;
      if (next === undefined) {
        path.pop();
        end(top.id, path.at(-1)?.id);
      } else if (!order.has(next)) path.push(begin(next));
      else if (isOpen.has(next)) lower(top.id, order.get(next));
    }
  }
  return groups;

  function begin(id: string) {
    order.set(id, order.size);
    lowest.set(id, order.size - 1);
    open.push(id);
    isOpen.add(id);
    return { id, rest: successors(id), taken: 0 };
  }

  function lower(id: string, to = 0): void {
    lowest.set(id, Math.min(lowest.get(id) ?? to, to));
  }

  function end(id: string, parent: string | undefined): void {
    if (parent !== undefined) lower(parent, lowest.get(id));
    if (lowest.get(id) !== order.get(id)) return;
    const group = open.splice(open.lastIndexOf(id));
    for (const member of group) isOpen.delete(member);
    if (group.length > 1 || successors(id).includes(id)) groups.push(group);
  }
}

/**
 * Shortest path from a node back to itself, both ends included; only over nodes of a group that
 * `cyclicGroups` found.
 */
export function shortestCycle(
  start: string,
  group: ReadonlySet<string>,
  successors: (id: string) => readonly string[],
): readonly string[] {
  const cameFrom = new Map<string, string>();
  const reached = [start];
  for (const id of reached) {
    for (const next of successors(id)) {
      if (next === start) return pathTo(id, cameFrom).concat(start);
      if (cameFrom.has(next) || !group.has(next)) continue;
      cameFrom.set(next, id);
      reached.push(next);
    }
  }
  return [start];
}

function pathTo(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path = [end];
  for (let id = cameFrom.get(end); id !== undefined; id = cameFrom.get(id)) path.push(id);
  return path.reverse();
}
