import { describe, expect, it } from 'vitest';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import { type UnwrittenRead, unwrittenReads } from '../../../src/lint/analysis/unwritten-reads.js';
import { fc } from '../../support/fast-check.js';
import { type RandomPipeline, randomPipelines, reachable } from './random-graphs.js';

const keys = ['x', 'y'];

const someKeys = fc.subarray(keys).map((some) => some.join(', '));

const attributes = fc
  .record({ reads: someKeys, writes: someKeys })
  .map(({ reads, writes }) =>
    [reads && `reads="${reads}"`, writes && `writes="${writes}"`].filter((text) => text !== '').join(', '),
  );

/** What a stage declares, read from the graph by itself. */
function listed({ graph }: RandomPipeline, id: string, name: 'reads' | 'writes'): readonly string[] {
  const value = graph.nodes.get(id)?.attributes.get(name)?.value;
  return typeof value === 'string' ? value.split(', ') : [];
}

/** Every combination of a node and the keys that are set when a run arrives there, by trying all ways. */
function arrivals(pipeline: RandomPipeline): ReadonlyMap<string, readonly ReadonlySet<string>[]> {
  const seen = new Map<string, { readonly id: string; readonly set: ReadonlySet<string> }>();
  const enter = (id: string, set: ReadonlySet<string>): void => {
    const name = `${id}: ${[...set].sort().join(' ')}`;
    if (!seen.has(name)) seen.set(name, { id, set });
  };
  enter('start', new Set());
  for (const { id, set } of seen.values()) {
    const after = new Set([...set, ...listed(pipeline, id, 'writes')]);
    // A goal gate would send the run back from the exit; there is none.
    for (const to of pipeline.next.get(id) ?? []) enter(to, after);
  }
  const byNode = new Map<string, ReadonlySet<string>[]>();
  for (const { id, set } of seen.values()) byNode.set(id, [...(byNode.get(id) ?? []), set]);
  return byNode;
}

/** Whether a round over a writer leads from a node back to it. */
function isInLoopWithWriter(pipeline: RandomPipeline, id: string, key: string): boolean {
  const behind = new Set((pipeline.next.get(id) ?? []).flatMap((to) => [...reachable(pipeline.next, to)]));
  return [...behind].some(
    (other) =>
      listed(pipeline, other, 'writes').includes(key) &&
      (pipeline.next.get(other) ?? []).some((to) => reachable(pipeline.next, to).has(id)),
  );
}

function checkMaybe(pipeline: RandomPipeline, found: UnwrittenRead & { readonly kind: 'maybe' }): void {
  const { way, read } = found;
  expect(way[0]).toBe('start');
  expect(way.at(-1)).toBe(read.node.id);
  for (const [index, id] of way.slice(1).entries()) expect(pipeline.next.get(way[index] ?? '')).toContain(id);
  for (const id of way.slice(0, -1)) expect(listed(pipeline, id, 'writes')).not.toContain(read.key);
}

describe('§5.1: what is read before it is written', () => {
  it('is what no run, or not every run, has set by then', () => {
    fc.assert(
      fc.property(randomPipelines(attributes), (pipeline) => {
        const seen = arrivals(pipeline);
        const reported = new Map(
          [...unwrittenReads(pipeline.graph, knownHandlerTypes())].map((found) => [
            `${found.read.node.id} ${found.read.key}`,
            found,
          ]),
        );
        for (const id of pipeline.nodeIds) {
          for (const key of listed(pipeline, id, 'reads')) {
            const sets = seen.get(id);
            const found = reported.get(`${id} ${key}`);
            if (sets === undefined) expect(found).toBeUndefined();
            else if (sets.every((set) => !set.has(key))) expect(found?.kind).toMatch(/^(?:never|nobody)$/);
            else if (sets.every((set) => set.has(key))) expect(found).toBeUndefined();
            else if (isInLoopWithWriter(pipeline, id, key)) expect(found).toBeUndefined();
            else expect(found?.kind).toBe('maybe');
            if (found?.kind === 'maybe') checkMaybe(pipeline, found);
          }
        }
      }),
      { numRuns: 400 },
    );
  });
});
