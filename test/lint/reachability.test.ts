import { expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { Graph } from '../../src/graph/graph.js';
import { fc } from '../support/fast-check.js';

const ids = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot'] as const;
const pair = fc.tuple(fc.constantFrom('start', ...ids), fc.constantFrom(...ids));

function pipeline(edges: readonly (readonly [string, string])[]): string {
  const nodes = ids.map((id) => `${id} [prompt="Do it"]`);
  const lines = edges.map(([from, to]) => `${from} -> ${to}`);
  return `digraph G {\nstart [shape=Mdiamond]\nexit [shape=Msquare]\nstart -> exit\n${[...nodes, ...lines].join('\n')}\n}`;
}

function reachedFrom(graph: Graph, entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set(entries);
  for (let before = -1; before !== reached.size; ) {
    before = reached.size;
    for (const edge of graph.edges) if (reached.has(edge.from)) reached.add(edge.to);
  }
  return reached;
}

it('reports as few orphans as explain all that is unreachable', () => {
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 14 }), (edges) => {
      const { graph, diagnostics } = compile(pipeline(edges));
      const found = diagnostics.filter(({ rule }) => rule === 'reachability');
      const orphans = found.map(({ nodeId }) => nodeId ?? '');
      const unreached = [...graph.nodes.keys()].filter((id) => !reachedFrom(graph, ['start']).has(id));

      const named = found.flatMap(({ message }) =>
        [...message.matchAll(/"(\w+)"/g)].map((match) => match[1]),
      );
      expect(named.sort()).toEqual(unreached.sort());
      expect(reachedFrom(graph, ['start', ...orphans]).size).toBe(graph.nodes.size);
      for (const orphan of orphans) {
        const others = orphans.filter((other) => other !== orphan);
        expect(reachedFrom(graph, ['start', ...others])).not.toContain(orphan);
      }
    }),
  );
});
