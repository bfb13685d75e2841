import type { Graph } from '../graph/graph.js';
import { incomingEdges, outgoingEdges } from '../graph/queries.js';
import { type ComparedPipeline, type Facets, nodeFacets } from './facets.js';

/** Similarity from which two nodes with different ids are one that was renamed, between 0 and 1. */
const leastSimilarity = 0.6;

/** Facets with the work of a node. */
const workFacets = ['prompt', 'tool_command', 'child', 'label', 'foreach'] as const;

/**
 * Nodes that are the same in both pipelines, by their old ids: those with the same id; the starts and the exits; and of the rest those that
 * are much more alike than any other two, by their work and their neighbours.
 */
export function matchNodes(before: ComparedPipeline, after: ComparedPipeline): ReadonlyMap<string, string> {
  const matched = new Map(
    [...before.graph.nodes.keys()].flatMap((id) => (after.graph.nodes.has(id) ? [[id, id]] : [])),
  );
  const taken = new Set(matched.values());
  const facetsOf = perNode();
  // A match makes the neighbours of other nodes known.
  for (let isNew = true; isNew; ) {
    isNew = false;
    const removed = [...before.graph.nodes.keys()].filter((id) => !matched.has(id));
    const added = [...after.graph.nodes.keys()].filter((id) => !taken.has(id));
    if (removed.length * added.length > mostPairs) return matched;
    for (const { from, to } of clearPairs(removed, added, (one, other) => similarity(one, other))) {
      matched.set(from, to);
      taken.add(to);
      isNew = true;
    }
  }
  return matched;

  function similarity(one: string, other: string): number {
    const [facets, others] = [facetsOf(before, one), facetsOf(after, other)];
    const type = facets.get('type')?.key;
    if (type !== others.get('type')?.key) return 0;
    if (type === 'start' || type === 'exit') return 1;
    const work = workSimilarity(facets, others);
    const around = overlap(neighbours(before.graph, one, matched), neighbours(after.graph, other));
    return work === undefined ? around : 0.6 * work + 0.4 * around;
  }
}

/** Pairs beyond which renames are not looked for. */
const mostPairs = 40_000;

interface Pair {
  readonly from: string;
  readonly to: string;
}

/** Pairs of which each side is most similar to the other, without a second that is as similar. */
function clearPairs(
  removed: readonly string[],
  added: readonly string[],
  similarity: (one: string, other: string) => number,
): readonly Pair[] {
  const scores = new Map(removed.map((from) => [from, added.map((to) => similarity(from, to))]));
  return removed.flatMap((from): readonly Pair[] => {
    const own = scores.get(from) ?? [];
    const best = Math.max(0, ...own);
    if (best < leastSimilarity || own.filter((score) => score === best).length > 1) return [];
    const column = own.indexOf(best);
    const rivals = [...scores].filter(([id, row]) => id !== from && (row[column] ?? 0) >= best);
    const to = added[column];
    return to === undefined || rivals.length > 0 ? [] : [{ from, to }];
  });
}

function perNode(): (pipeline: ComparedPipeline, id: string) => Facets {
  const known = new Map<ComparedPipeline, Map<string, Facets>>();
  return (pipeline, id) => {
    const ofPipeline = known.get(pipeline) ?? new Map<string, Facets>();
    known.set(pipeline, ofPipeline);
    const node = pipeline.graph.nodes.get(id);
    const facets = ofPipeline.get(id) ?? (node === undefined ? new Map() : nodeFacets(pipeline, node));
    ofPipeline.set(id, facets);
    return facets;
  };
}

/** Similarity of the texts that say what two nodes do; undefined if neither has any. */
function workSimilarity(one: Facets, other: Facets): number | undefined {
  const shares = workFacets.flatMap((name): readonly number[] => {
    const [text, otherText] = [one.get(name)?.key, other.get(name)?.key];
    if (text === undefined && otherText === undefined) return [];
    return [text === otherText ? 1 : overlap(wordsOf(text ?? ''), wordsOf(otherText ?? ''))];
  });
  if (shares.length === 0) return undefined;
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);
}

/** Neighbours with their direction; of the old pipeline by their new ids. */
function neighbours(graph: Graph, id: string, renamed?: ReadonlyMap<string, string>): ReadonlySet<string> {
  const name = (other: string): string =>
    renamed === undefined ? other : (renamed.get(other) ?? `removed ${other}`);
  return new Set([
    ...incomingEdges(graph, id).map(({ from }) => `from ${name(from)}`),
    ...outgoingEdges(graph, id).map(({ to }) => `to ${name(to)}`),
  ]);
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const all = new Set([...one, ...other]);
  if (all.size === 0) return 1;
  return [...one].filter((item) => other.has(item)).length / all.size;
}
