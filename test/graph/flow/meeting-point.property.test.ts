import { describe, expect, test } from 'vitest';
import { meetingPoint } from '../../../src/graph/flow/meeting-point.js';
import type { Graph } from '../../../src/graph/graph.js';
import { lower } from '../../../src/graph/lower.js';
import { parallelOf } from '../../../src/graph/parallel.js';
import { outgoingEdges } from '../../../src/graph/queries.js';
import { parseDot } from '../../../src/parser/dot/parse.js';
import { fc, runsOf } from '../../support/fast-check.js';

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'exit'];
const graphs = fc
  .record({
    firsts: fc.array(fc.constantFrom(...ids), { maxLength: 40 }),
    edges: fc.array(fc.tuple(fc.constantFrom(...ids.slice(0, -1)), fc.constantFrom(...ids, 'fork')), {
      maxLength: 14,
    }),
    jump: fc.option(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids)), { nil: undefined }),
  })
  .map(({ firsts, edges, jump }) => {
    const text = [
      'digraph g { start [shape=Mdiamond] fork [shape=component]',
      ...ids.map((id) => (jump?.[0] === id ? `${id} [retry_target=${jump[1]}]` : id)),
      'start -> fork',
      ...firsts.map((id) => `fork -> ${id}`),
      ...edges.map(([from, to]) => `${from} -> ${to}`),
      '}',
    ];
    return lower(parseDot(text.join('\n')).document).graph;
  });

/** Steps from a node to each that it reaches. */
function distances(graph: Graph, first: string): ReadonlyMap<string, number> {
  const found = new Map([[first, 0]]);
  for (const [id, distance] of found)
    for (const { to } of outgoingEdges(graph, id)) if (!found.has(to)) found.set(to, distance + 1);
  return found;
}

/** The definition of a join, word by word. */
function joinByDefinition(graph: Graph, fanIns: ReadonlySet<string>): string {
  const firsts = outgoingEdges(graph, 'fork').map(({ to }) => to);
  const found = firsts.map((first) => distances(graph, first));
  const all = [...graph.nodes.keys()].flatMap((id) => {
    const steps = found.flatMap((own) => own.get(id) ?? []);
    if (id === 'fork' || firsts.length === 0 || steps.length < firsts.length) return [];
    return [{ id, farthest: Math.max(...steps), sum: steps.reduce((sum, one) => sum + one, 0) }];
  });
  const joins = all.filter(({ id }) => fanIns.has(id));
  const candidates = joins.length > 0 ? joins : all.filter(({ id }) => !firsts.includes(id));
  candidates.sort((x, y) => x.farthest - y.farthest || x.sum - y.sum || (x.id < y.id ? -1 : 1));
  return candidates[0]?.id ?? 'exit';
}

describe('48: branches', () => {
  test('meet where the definition says, whatever the graph is', () => {
    fc.assert(
      fc.property(graphs, fc.subarray(['c', 'd', 'g']), (graph, fanIns) => {
        const branches = outgoingEdges(graph, 'fork');
        const set = new Set(fanIns);
        expect(meetingPoint(graph, 'fork', branches, set, 'exit')).toBe(joinByDefinition(graph, set));
      }),
      { numRuns: runsOf({ quick: 500, thorough: 20_000 }) },
    );
  });

  test('54: share the nodes that two of them reach, by edges or by jumps', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const node = graph.nodes.get('fork');
        if (node === undefined) return;
        const jumpsOf = (id: string): readonly string[] => {
          const target = graph.nodes.get(id)?.attributes.get('retry_target')?.value;
          return typeof target === 'string' ? [target] : [];
        };
        const counts = new Map<string, number>();
        for (const { to: first } of outgoingEdges(graph, 'fork')) {
          const reached = new Set(['exit', 'd'].includes(first) ? [] : [first]);
          for (const id of reached)
            for (const to of [...outgoingEdges(graph, id).map((edge) => edge.to), ...jumpsOf(id)])
              if (to !== 'exit' && to !== 'd') reached.add(to);
          for (const id of reached) counts.set(id, (counts.get(id) ?? 0) + 1);
        }
        const expected = [...counts].flatMap(([id, count]) => (count > 1 ? [id] : []));
        expect([...parallelOf(graph, node, 'd', 'exit').sharedNodes].sort()).toEqual(expected.sort());
      }),
      { numRuns: runsOf({ quick: 500, thorough: 20_000 }) },
    );
  });
});
