import { describe, expect, it } from 'vitest';
import { adjacencyOf } from '../../../src/graph/flow/adjacency.js';
import type { Graph } from '../../../src/graph/graph.js';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import { lower } from '../../../src/graph/lower.js';
import {
  handlerTypeOf,
  incomingEdges,
  nodesHandledBy,
  outgoingEdges,
  usedHandlerTypes,
} from '../../../src/graph/queries.js';
import { parseDot } from '../../../src/parser/dot/parse.js';
import { fc } from '../../support/fast-check.js';

const ids = ['a', 'b', 'c', '__proto__', 'constructor'];
const shapes = ['box', 'diamond', 'parallelogram', 'component', 'Mdiamond', 'nothing'];

/** Nodes with shapes, and edges among them and to what is declared nowhere. */
const graphs = fc
  .record({
    nodes: fc.uniqueArray(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...shapes)), {
      selector: ([id]) => id,
    }),
    chains: fc.array(fc.array(fc.constantFrom(...ids, 'nobody'), { minLength: 2, maxLength: 4 })),
  })
  .map(({ nodes, chains }) =>
    graphOf(
      ...nodes.map(([id, shape]) => `${id} [shape=${shape}]`),
      ...chains.map((chain) => chain.join(' -> ')),
    ),
  );

function graphOf(...statements: readonly string[]): Graph {
  return lower(parseDot(`digraph G {\n${statements.join('\n')}\n}`).document).graph;
}

describe('a graph in numbers', () => {
  it('says the same as the graph by names', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { nodes, numberOf, sources, targets, firstEnd, ends, isWhole } = adjacencyOf(graph);
        expect(nodes.map(({ id }) => id)).toEqual([...graph.nodes.keys()]);
        const number = (id: string) => numberOf.get(id) ?? -1;
        expect([...sources]).toEqual(graph.edges.map(({ from }) => number(from)));
        expect([...targets]).toEqual(graph.edges.map(({ to }) => number(to)));
        expect(isWhole).toBe(
          graph.edges.every(({ from, to }) => graph.nodes.has(from) && graph.nodes.has(to)),
        );
        for (const [at, { id }] of nodes.entries()) {
          const leaving = graph.edges.filter(({ from }) => from === id);
          expect([...ends.slice(firstEnd[at], firstEnd[at + 1])]).toEqual(
            leaving.map(({ to }) => number(to)),
          );
        }
        for (const id of [...ids, 'nobody', 'start']) {
          expect(outgoingEdges(graph, id)).toEqual(graph.edges.filter(({ from }) => from === id));
          expect(incomingEdges(graph, id)).toEqual(graph.edges.filter(({ to }) => to === id));
        }
      }),
    );
  });

  it('has the nodes of several handler types in the order of the text', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const known = knownHandlerTypes();
        const nodes = [...graph.nodes.values()];
        const types = nodes.map((node) => handlerTypeOf(graph, node, known));
        expect(usedHandlerTypes(graph, known)).toEqual(types);
        for (const wanted of [['tool'], ['tool', 'codergen'], ['conditional', 'parallel', 'start'], []]) {
          const isWanted = ({ type }: { readonly type: string }) => wanted.includes(type);
          expect(nodesHandledBy(graph, known, isWanted)).toEqual(
            nodes.filter((_, number) => types[number] !== undefined && isWanted(types[number])),
          );
        }
      }),
    );
  });

  it('§4.2: a node that is not of the graph has a type of its own', () => {
    const graph = graphOf('a [shape=diamond]');
    const [other] = graphOf('a [shape=parallelogram]').nodes.values();
    expect(other && handlerTypeOf(graph, other, knownHandlerTypes()).type).toBe('tool');
  });
});
