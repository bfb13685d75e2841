import { describe, expect, it } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import { controlFlow } from '../../../src/lint/analysis/control-flow.js';
import { bypassFinder } from '../../../src/lint/analysis/gate-bypass.js';
import { pipeline } from '../../run/harness.js';
import { fc } from '../../support/fast-check.js';
import { randomPipelines, reachable } from './random-graphs.js';

/** Where a run may end: at the exit, or where no edge leads on (SEMANTICS 22). */
function isEnd(edges: readonly { readonly from: string }[], id: string): boolean {
  return id === 'exit' || edges.every(({ from }) => from !== id);
}

describe('32: a way past a goal gate', () => {
  it('is found wherever there is one, and is one that a run can take', () => {
    fc.assert(
      fc.property(randomPipelines(fc.constant('goal_gate=true')), ({ graph, nodeIds, next }) => {
        const bypass = bypassFinder(controlFlow(graph, knownHandlerTypes()));
        for (const gate of nodeIds.filter((id) => reachable(next, 'start').has(id))) {
          const ends = [...reachable(next, 'start', gate)].filter((id) => isEnd(graph.edges, id));
          const way = bypass(gate)?.points.map(({ node }) => node.id);
          expect(way !== undefined).toBe(ends.length > 0);
          if (way === undefined) continue;
          expect(way[0]).toBe('start');
          expect(isEnd(graph.edges, way.at(-1) ?? '')).toBe(true);
          expect(way).not.toContain(gate);
          for (const [index, id] of way.slice(1).entries()) expect(next.get(way[index] ?? '')).toContain(id);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('parts from those to the gate where it is said to', () => {
    fc.assert(
      fc.property(randomPipelines(fc.constant('goal_gate=true')), ({ graph, nodeIds, next }) => {
        const bypass = bypassFinder(controlFlow(graph, knownHandlerTypes()));
        for (const gate of nodeIds) {
          const found = bypass(gate);
          const place = found?.points[found.parting]?.node.id;
          if (place !== undefined) expect(reachable(next, place)).toContain(gate);
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['a branch that every way of it passes', 'fan -> g -> join; fan -> b -> join', undefined],
    ['a branch that goes past it', 'fan -> a -> g -> join; a -> join; fan -> b -> join', 'fan a'],
    ['one of two branches that share it', 'fan -> g -> join; fan -> b -> g; b -> join', undefined],
    [
      'two branches that share it and both go past',
      'fan -> a -> g -> join; a -> join; fan -> b -> g; b -> join',
      'fan a',
    ],
    [
      'a parallel node inside of a branch',
      'fan -> in -> g -> near -> join; in -> x -> near; fan -> b -> join',
      undefined,
    ],
    [
      'a parallel node that is avoided as a whole',
      'start -> join; fan -> g -> join; fan -> b -> join',
      'start join exit',
    ],
  ])('is looked for in %s', (_, statements, expected) => {
    const text = pipeline(
      'fan [shape=component]; in [shape=component]; join [shape=tripleoctagon]; near [shape=tripleoctagon]',
      `start -> fan; ${statements}; join -> exit`,
    );
    const way = bypassFinder(controlFlow(compile(text).graph, knownHandlerTypes()))('g');
    expect(way?.points.map(({ node }) => node.id).join(' ')).toBe(expected);
  });
});
