import type { Graph } from '../../../src/graph/graph.js';
import { lower } from '../../../src/graph/lower.js';
import { parseDot } from '../../../src/parser/dot/parse.js';
import { pipeline } from '../../run/harness.js';
import { fc } from '../../support/fast-check.js';

/** A pipeline on the main line, drawn at random; its ways are known besides those that are to be tested. */
export interface RandomPipeline {
  readonly text: string;
  readonly graph: Graph;
  readonly nodeIds: readonly string[];
  /** By node: where a run may go from there, by edges and by retry targets. Nothing leads on from the exit. */
  readonly next: ReadonlyMap<string, readonly string[]>;
}

interface Draft {
  readonly edges: readonly (readonly [number, number])[];
  readonly jumps: readonly number[];
  readonly attributes: readonly string[];
}

const drafts = (attributes: fc.Arbitrary<string>): fc.Arbitrary<Draft> =>
  fc.integer({ min: 2, max: 7 }).chain((count) =>
    fc.record({
      // From the start or a node, to a node or the exit.
      edges: fc.array(fc.tuple(fc.integer({ min: -1, max: count - 1 }), fc.integer({ min: 0, max: count })), {
        minLength: 2,
        maxLength: 2 * count + 2,
      }),
      jumps: fc.array(fc.integer({ min: -count, max: count - 1 }), { minLength: count, maxLength: count }),
      attributes: fc.array(attributes, { minLength: count, maxLength: count }),
    }),
  );

/**
 * Pipelines of up to seven LLM stages with any edges, a few retry targets, and attributes of their own.
 * @param attributes of a node, such as `goal_gate=true`; may be empty
 */
export function randomPipelines(attributes: fc.Arbitrary<string>): fc.Arbitrary<RandomPipeline> {
  return drafts(attributes).map(({ edges, jumps, attributes: own }) => {
    const names = own.map((_, index) => `n${index}`);
    const name = (index: number) => (index === -1 ? 'start' : (names[index] ?? 'exit'));
    const next = new Map(['start', 'exit', ...names].map((id): [string, string[]] => [id, []]));
    const nodes = names.map((id, index) => {
      const jump = names[jumps[index] ?? -1];
      if (jump !== undefined) next.get(id)?.push(jump);
      const written = [own[index] ?? '', jump === undefined ? '' : `retry_target=${jump}`];
      return `${id} [${written.filter((text) => text !== '').join(', ')}]`;
    });
    for (const [from, to] of edges) next.get(name(from))?.push(name(to));
    const text = pipeline(...nodes, ...edges.map(([from, to]) => `${name(from)} -> ${name(to)}`));
    return { text, graph: lower(parseDot(text).document).graph, nodeIds: names, next };
  });
}

/** Everything that can be reached from a node without entering another one; the node itself included. */
export function reachable(next: RandomPipeline['next'], from: string, avoided?: string): ReadonlySet<string> {
  const reached = new Set(from === avoided ? [] : [from]);
  for (const id of reached) for (const to of next.get(id) ?? []) if (to !== avoided) reached.add(to);
  return reached;
}
