import { expect, test } from 'vitest';
import { cyclicGroups, shortestCycle } from '../../../src/graph/flow/cycles.js';
import { fc } from '../../support/fast-check.js';

const edges = fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 9 })), { maxLength: 25 });

/** Everything that a node leads to, over one edge or more. */
function reachedFrom(start: string, successors: (id: string) => readonly string[]): ReadonlySet<string> {
  const reached = new Set(successors(start));
  for (const id of reached) for (const next of successors(id)) reached.add(next);
  return reached;
}

test('the groups are the nodes that lead to each other, and to themselves', () => {
  fc.assert(
    fc.property(edges, (pairs) => {
      const ids = [...Array(10).keys()].map(String);
      const successors = (id: string) =>
        pairs.filter(([from]) => String(from) === id).map(([, to]) => String(to));
      const groups = cyclicGroups(ids, successors);
      const groupOf = new Map(groups.flatMap((group) => group.map((id) => [id, group] as const)));
      for (const id of ids) {
        const mutual = ids.filter(
          (other) => reachedFrom(id, successors).has(other) && reachedFrom(other, successors).has(id),
        );
        expect([...(groupOf.get(id) ?? [])].sort()).toEqual(mutual);
      }
      for (const group of groups) {
        const [start = ''] = group;
        const way = shortestCycle(start, new Set(group), successors);
        expect([way[0], way.at(-1)]).toEqual([start, start]);
        for (const [index, id] of way.slice(1).entries()) expect(successors(way[index] ?? '')).toContain(id);
      }
    }),
  );
});
