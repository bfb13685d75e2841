import { expect, it } from 'vitest';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import { controlFlow } from '../../../src/lint/analysis/control-flow.js';
import { deadEnds } from '../../../src/lint/analysis/dead-ends.js';
import { fc } from '../../support/fast-check.js';
import { randomPipelines, reachable } from './random-graphs.js';

it('22: finds exactly the nodes that a run may reach and that never lead to the exit', () => {
  fc.assert(
    fc.property(randomPipelines(fc.constant('')), ({ graph, next }) => {
      const traps = deadEnds(controlFlow(graph, knownHandlerTypes()), 'exit');
      const found = traps.flatMap(({ nodeIds, leadingThere }) => [...nodeIds, ...leadingThere]);
      const stuck = [...reachable(next, 'start')].filter((id) => !reachable(next, id).has('exit'));
      expect(found.toSorted()).toEqual(stuck.toSorted());
    }),
    { numRuns: 400 },
  );
});

it('22: finds traps that nothing leads out of, and tells dead ends from loops', () => {
  fc.assert(
    fc.property(randomPipelines(fc.constant('')), ({ graph, next }) => {
      for (const { nodeIds, isDeadEnd } of deadEnds(controlFlow(graph, knownHandlerTypes()), 'exit')) {
        const [first = ''] = nodeIds;
        if (isDeadEnd) expect(next.get(first)).toEqual([]);
        else expect([...reachable(next, first)].toSorted()).toEqual([...nodeIds].toSorted());
      }
    }),
    { numRuns: 400 },
  );
});
