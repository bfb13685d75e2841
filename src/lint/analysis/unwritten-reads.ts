import { assignPrefix } from '../../graph/attributes.js';
import { parallelsAround, type Region } from '../../graph/branch-regions.js';
import type { Graph, Node } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { foreachOf } from '../../graph/parallel.js';
import { writingType } from '../../graph/values/handler-keys.js';
import { keysOverlap } from '../../graph/values/key-lists.js';
import { writtenKeys } from '../../graph/values/written-keys.js';
import { attributeOwners } from '../attribute-owners.js';
import { type ContextRead, contextReads } from './context-reads.js';
import { type ContextWriters, contextWriters, isAlwaysSet, parallelResultsKey } from './context-writes.js';
import { type ControlFlow, controlFlow } from './control-flow.js';
import { type ImpossibleKey, impossibleKey } from './impossible-key.js';
import { type KeyFlow, type KeyUse, keyFlows } from './key-flow.js';
import { mergedBranches } from './merged-branches.js';
import { isOnLoopOver, wayWithout } from './ways-without.js';

/** Read of a value where it is not set, or may not be. */
export type UnwrittenRead =
  /** Nobody can set it. */
  | { readonly kind: 'impossible'; readonly read: ContextRead; readonly why: ImpossibleKey }
  /**
   * No stage sets it.
   * @param itemOf parallel node whose branches have it as their item, elsewhere (SEMANTICS 106)
   */
  | { readonly kind: 'nobody'; readonly read: ContextRead; readonly itemOf?: string | undefined }
  /** Stages set it, but on no path to the read. */
  | { readonly kind: 'never'; readonly read: ContextRead; readonly writers: ReadonlySet<Node> }
  /** On some path to the read it was not set. */
  | {
      readonly kind: 'maybe';
      readonly read: ContextRead;
      readonly writers: ReadonlySet<Node>;
      readonly way: readonly string[];
    };

/** Maximum of findings: more would not help, and each takes a walk through the graph. */
const mostWays = 20;

/**
 * Finds reads of keys that certain stages are known to set (§5.1, SEMANTICS §12), at places where control
 * may arrive without any of them. A value in a condition may be missing, because that is a value too; and
 * so may one that a loop sets in its first round.
 */
export function* unwrittenReads(graph: Graph, handlerTypes: KnownHandlerTypes): Iterable<UnwrittenRead> {
  for (const read of contextReads(graph)) {
    const why = impossibleKey(graph, read.path);
    if (why !== undefined) yield { kind: 'impossible', read, why };
  }
  const lists = listsByItem(graph);
  const reads = contextReads(graph).filter(({ key }) => !isAlwaysSet(key));
  if (reads.length === 0) return;
  const flow = controlFlow(graph, handlerTypes);
  if (!flow.isComplete) return;
  const writers = contextWriters(graph, handlerTypes);
  const useOf = keyUses(graph, flow, writers);
  const flows = flowsOf(flow, writers, reads, useOf);
  let ways = 0;
  for (const read of reads) {
    const itemOf = lists.get(rootOf(read.key));
    const places = flow.placesOf(read.node.id).filter(({ region }) => !hasItem(region, itemOf));
    const setBy = writers.of(read.key);
    const isKnown = setBy.size > 0 || writingType(read.key) !== undefined;
    if (places.length === 0 || isIgnored(read, places[0]?.handler.forks === true)) continue;
    if (!isKnown) {
      if (writers.custom.size === 0) yield { kind: 'nobody', read, itemOf: itemMeant(read, itemOf) };
      continue;
    }
    const found = flows.get(read.key);
    if (found === undefined || seesOwn(read, setBy, writers)) continue;
    if (places.every(({ index }) => !found.maybeSet(index))) {
      yield setBy.size === 0 ? { kind: 'nobody', read } : { kind: 'never', read, writers: setBy };
      continue;
    }
    const unset = places.find(({ index }) => found.maybeUnset(index));
    if (unset === undefined || read.by === 'condition' || ways >= mostWays) continue;
    ways += 1;
    const avoided = new Set(useOf(read.key).sets);
    if (isOnLoopOver(flow, unset.index, avoided)) continue;
    const way = wayWithout(flow, unset.index, avoided);
    if (way === undefined) continue;
    const ids = way.flatMap((index) => flow.places[index]?.node.id ?? []);
    yield { kind: 'maybe', read, writers: setBy, way: ids };
  }
}

/**
 * True for conditions on edges of a parallel node, which are branches whatever their conditions (SEMANTICS
 * 44j).
 */
function isIgnored({ by, attribute }: ContextRead, isFork: boolean): boolean {
  return isFork && by === 'condition' && attribute.name === 'condition';
}

/**
 * True if a read sees values of its own stage: a condition sees those that the stage has just set, an
 * assignment those of its handler, and a manager checks its child again and again (SEMANTICS 44i, §4.11).
 */
function seesOwn(
  { by, key, node, attribute }: ContextRead,
  setBy: ReadonlySet<Node>,
  { custom }: ContextWriters,
): boolean {
  const isLooking = writingType(key)?.type === 'stack.manager_loop';
  const isAssigned = attribute.name.startsWith(assignPrefix);
  if (by !== 'condition' && !isLooking && !isAssigned) return false;
  if (custom.has(node)) return true;
  // All assignments of a stage see what was before them.
  return isAssigned ? setsBefore(node, key, setBy) : setBy.has(node);
}

/** True if the handler of a stage sets a key, or its `writes` says so. */
function setsBefore(node: Node, key: string, setBy: ReadonlySet<Node>): boolean {
  if (!setBy.has(node)) return false;
  const own = writtenKeys(node).filter((written) => keysOverlap(key, written.key));
  return own.length === 0 || own.some(({ attribute }) => attribute.name === 'writes');
}

function flowsOf(
  flow: ControlFlow,
  writers: ContextWriters,
  reads: readonly ContextRead[],
  useOf: (key: string) => KeyUse,
): ReadonlyMap<string, KeyFlow | undefined> {
  const keys = [...new Set(reads.map(({ key }) => key))].filter(
    (key) => writingType(key) !== undefined || writers.of(key).size > 0,
  );
  const flows = keyFlows(flow, keys.map(useOf));
  return new Map(keys.map((key, index) => [key, flows[index]]));
}

function keyUses(graph: Graph, flow: ControlFlow, writers: ContextWriters): (key: string) => KeyUse {
  const merged = mergedBranches(graph, flow);
  const placesOf = (nodes: readonly Node[]) =>
    nodes.flatMap(({ id }) => flow.placesOf(id).map(({ index }) => index));
  return (key) => {
    const isUsedUp = key === parallelResultsKey || key.startsWith(`${parallelResultsKey}.`);
    const own = placesOf([...writers.of(key), ...writers.custom]);
    const { always, maybe } = merged.settersOf(key, own);
    return {
      sets: always.length === 0 ? own : [...own, ...always],
      maySet: maybe,
      clears: isUsedUp ? flow.places.filter(({ handler }) => handler.joins).map(({ index }) => index) : [],
    };
  };
}

/** Parallel nodes with a list, by the key of their items. */
function listsByItem(graph: Graph): ReadonlyMap<string, readonly string[]> {
  const lists = new Map<string, string[]>();
  for (const node of attributeOwners(graph).nodesWith('foreach')) {
    const foreach = foreachOf(node);
    if (foreach !== undefined) lists.set(foreach.as, [...(lists.get(foreach.as) ?? []), node.id]);
  }
  return lists;
}

/** True in the branches of one of these lists: there its item is set (SEMANTICS 106). */
function hasItem(region: Region | undefined, lists: readonly string[] = []): boolean {
  return lists.length > 0 && parallelsAround(region).some((id) => lists.includes(id));
}

/** A text of many stages, as in a default block, may be meant for those that have the item. */
function itemMeant({ attribute }: ContextRead, lists: readonly string[] = []): string | undefined {
  return attribute.origin === 'explicit' ? lists[0] : undefined;
}

function rootOf(key: string): string {
  return key.split('.', 1)[0] ?? key;
}
