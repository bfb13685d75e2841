import { assignPrefix } from '../../graph/attributes.js';
import { parallelsAround, type Region } from '../../graph/flow/branch-regions.js';
import type { Graph, Node } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { foreachOf } from '../../graph/parallel.js';
import { handlerTypeOf } from '../../graph/queries.js';
import { declaredInputs } from '../../graph/values/declared-inputs.js';
import { writingType } from '../../graph/values/handler-keys.js';
import { keysOverlap } from '../../graph/values/key-lists.js';
import { stagePathOf } from '../../graph/values/seen-stages.js';
import { writtenKeys } from '../../graph/values/written-keys.js';
import { attributeOwners } from '../attribute-owners.js';
import { misspelt } from '../misspelt.js';
import { isClosed } from './closed-stages.js';
import { type ContextRead, contextReads } from './context-reads.js';
import {
  type ContextWriters,
  contextWriters,
  isAlwaysSet,
  isInJsonOfTool,
  parallelResultsKey,
  printsJson,
} from './context-writes.js';
import { type ControlFlow, controlFlow, type ProgramPoint } from './control-flow.js';
import { type ImpossibleKey, impossibleKey } from './impossible-key.js';
import { type KeyFlow, type KeyUse, keyFlows } from './key-flow.js';
import { mergedBranches } from './merged-branches.js';
import { isOnLoopOver, pathAvoiding } from './paths-without.js';

/** Read of a value where it is not set, or may not be. */
export type UnwrittenRead =
  /** Nobody can set it. */
  | { readonly kind: 'impossible'; readonly read: ContextRead; readonly why: ImpossibleKey }
  /** Its own stage, a fan-in, has removed it (SEMANTICS 53a). */
  | { readonly kind: 'consumed'; readonly read: ContextRead }
  /**
   * No stage sets it: certainly, if a path to the read is given, because all stages before it declare what they write.
   * @param itemOf parallel node whose branches have it as their item, elsewhere (SEMANTICS 106)
   */
  | {
      readonly kind: 'nobody';
      readonly read: ContextRead;
      readonly itemOf?: string | undefined;
      readonly way?: readonly string[] | undefined;
    }
  /** Stages set it, but on no path to the read. */
  | {
      readonly kind: 'never';
      readonly read: ContextRead;
      readonly writers: ReadonlySet<Node>;
      readonly way: readonly string[];
    }
  /** On some path to the read it was not set. */
  | {
      readonly kind: 'maybe';
      readonly read: ContextRead;
      readonly writers: ReadonlySet<Node>;
      readonly way: readonly string[];
    };

/** Maximum of findings: more would not help, and each takes a walk through the graph. */
const mostPaths = 20;

/**
 * Finds reads of keys that certain stages are known to set (§5.1, SEMANTICS §12), at points where control
 * may arrive without any of them. A value in a condition may be missing, because that is a value too; and
 * so may one that a loop sets in its first round.
 */
export function* unwrittenReads(graph: Graph, handlerTypes: KnownHandlerTypes): Iterable<UnwrittenRead> {
  for (const read of contextReads(graph)) {
    const impossible = impossibleKey(graph, read.path);
    if (impossible !== undefined) yield { kind: 'impossible', read, why: impossible };
  }
  for (const read of contextReads(graph))
    if (isOfResults(read.key) && seesNoResults(graph, read, handlerTypes)) yield { kind: 'consumed', read };
  const lists = listsByItem(graph);
  const reads = contextReads(graph).flatMap((read): readonly TrackedRead[] => {
    const key = trackedKey(graph, read);
    return key === undefined ? [] : [{ read, key }];
  });
  if (reads.length === 0) return;
  const flow = controlFlow(graph, handlerTypes);
  if (!flow.isComplete) return;
  const writers = contextWriters(graph, handlerTypes);
  const settersOf = (key: string): ReadonlySet<Node> => setters(graph, writers, key);
  const useOf = keyUses(graph, flow, settersOf, writers);
  const flows = flowsOf(flow, settersOf, reads, useOf);
  const idsOf = (path: readonly number[] = []) => path.flatMap((index) => flow.points[index]?.node.id ?? []);
  let pathCount = 0;
  for (const { read, key } of reads) {
    const itemOf = lists.get(rootOf(key));
    const points = flow.placesOf(read.node.id).filter(({ region }) => !hasItem(region, itemOf));
    const setBy = settersOf(key);
    const isKnown = setBy.size > 0 || writingType(key) !== undefined;
    const [first] = points;
    if (first === undefined || isIgnored(read, first.handler.forks === true)) continue;
    if (!isKnown) {
      if (writers.custom.size > 0 || misspelt(graph).nodesMeaning(`${assignPrefix}${key}`).size > 0) continue;
      const isCertain =
        itemOf === undefined && pathCount < mostPaths && isBehindClosedStages(read, points, flows);
      if (isCertain) pathCount += 1;
      const path = isCertain ? idsOf(pathAvoiding(flow, first.index, nowhere)) : undefined;
      yield { kind: 'nobody', read, way: path, itemOf: itemMeant(read, itemOf) };
      continue;
    }
    const cached = flows.get(key);
    if (cached === undefined || seesOwn(read, setBy, writers)) continue;
    if (points.every(({ index }) => !cached.maybeSet(index))) {
      if (setBy.size === 0) yield { kind: 'nobody', read };
      else
        yield { kind: 'never', read, writers: setBy, way: idsOf(pathAvoiding(flow, first.index, nowhere)) };
      continue;
    }
    const unset = points.find(({ index }) => cached.maybeUnset(index));
    if (unset === undefined || read.by === 'condition' || pathCount >= mostPaths) continue;
    pathCount += 1;
    const avoidedPoints = new Set(useOf(key).sets);
    if (isOnLoopOver(flow, unset.index, avoidedPoints)) continue;
    const path = pathAvoiding(flow, unset.index, avoidedPoints);
    if (path === undefined) continue;
    yield { kind: 'maybe', read, writers: setBy, way: idsOf(path) };
  }
}

interface TrackedRead {
  readonly read: ContextRead;
  /** Key of the context; `stages.<id>` for all that the stage says. */
  readonly key: string;
}

const nowhere: ReadonlySet<number> = new Set();

/** Undefined for a value that is there in every run, and for one that another rule judges. */
function trackedKey(graph: Graph, { path, key }: ContextRead): string | undefined {
  const stage = stagePathOf(path);
  if (stage === undefined) return isAlwaysSet(key) || isGiven(graph, key) ? undefined : key;
  const { id, field, branch } = stage;
  // Before the first visit, its number is 0.
  const isTracked = graph.nodes.has(id) && branch === undefined && field !== undefined && field !== 'visits';
  return isTracked ? `${stagePrefix}${id}` : undefined;
}

/** True for a declared input, which the context also has under its bare name (SEMANTICS 97), and for a part of it. */
function isGiven(graph: Graph, key: string): boolean {
  const inputs = declaredInputs(graph);
  if (inputs === undefined) return false;
  for (let end = key.length; end > 0; end = key.lastIndexOf('.', end - 1))
    if (inputs.has(key.slice(0, end))) return true;
  return false;
}

const stagePrefix = 'stages.';

/** Nodes that set a key; what a stage says is set by the stage. */
function setters(graph: Graph, writers: ContextWriters, key: string): ReadonlySet<Node> {
  if (!key.startsWith(stagePrefix)) return writers.of(key);
  const node = graph.nodes.get(key.slice(stagePrefix.length));
  return new Set(node === undefined ? [] : [node]);
}

/** Key in place of all that a stage does not declare. */
const undeclared = '';

/** True if no stage that may set undeclared keys comes before the read. */
function isBehindClosedStages(
  { node, by }: ContextRead,
  points: readonly ProgramPoint[],
  flows: ReadonlyMap<string, KeyFlow | undefined>,
): boolean {
  const cached = flows.get(undeclared);
  return points.every(
    (point) =>
      cached?.maybeSet(point.index) === false && (by !== 'condition' || isClosed(node, point.handler)),
  );
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
  settersOf: (key: string) => ReadonlySet<Node>,
  reads: readonly TrackedRead[],
  useOf: (key: string) => KeyUse,
): ReadonlyMap<string, KeyFlow | undefined> {
  const all = [...new Set(reads.map(({ key }) => key))];
  const known = all.filter((key) => writingType(key) !== undefined || settersOf(key).size > 0);
  const keys = known.length < all.length ? [undeclared, ...known] : known;
  const flows = keyFlows(flow, keys.map(useOf));
  return new Map(keys.map((key, index) => [key, flows[index]]));
}

function keyUses(
  graph: Graph,
  flow: ControlFlow,
  settersOf: (key: string) => ReadonlySet<Node>,
  writers: ContextWriters,
): (key: string) => KeyUse {
  const merged = mergedBranches(graph, flow);
  const placesOf = (nodes: Iterable<Node>) => [...nodes].flatMap(({ id }) => flow.placesOf(id));
  const settingPlaces = (key: string): readonly ProgramPoint[] =>
    key === undeclared
      ? flow.points.filter(({ node, handler }) => !isClosed(node, handler))
      : placesOf([...settersOf(key), ...writers.custom]);
  return (key) => {
    if (key.startsWith(stagePrefix)) return stageUse(flow, placesOf(settersOf(key)));
    const own = settingPlaces(key).map(({ index }) => index);
    const { always, maybe } = merged.settersOf(key, own);
    return {
      sets: always.length === 0 ? own : [...own, ...always],
      maySet: maybe,
      clears: flow.points.filter((point) => removes(point, key)).map(({ index }) => index),
    };
  };
}

/** Points where a stage says something: it itself, and the joins of its branches, after which it is visible (SEMANTICS 104). */
function stageUse(flow: ControlFlow, own: readonly ProgramPoint[]): KeyUse {
  const forks = own.flatMap(({ region }) => (region === undefined ? [] : [...parallelsAround(region)]));
  const sets = [...own, ...forks.flatMap((id) => flow.placesOf(id))];
  return { sets: sets.map(({ index }) => index), maySet: [], clears: [] };
}

function isOfResults(key: string): boolean {
  return key === parallelResultsKey || key.startsWith(`${parallelResultsKey}.`);
}

/**
 * True if a read sees what a fan-in has left of the results: what judges its success does, and its edges, unless a model chooses,
 * which may fail before.
 */
function seesNoResults(
  graph: Graph,
  { by, node, attribute }: ContextRead,
  handlerTypes: KnownHandlerTypes,
): boolean {
  if (!handlerTypeOf(graph, node, handlerTypes).joins) return false;
  if (attribute.name === 'fail_when' || attribute.name.startsWith(assignPrefix)) return true;
  return by === 'condition' && !node.attributes.has('prompt');
}

/** True for a fan-in, which uses up the results of the branches, and for a tool, which removes the JSON of the one before. */
function removes({ handler, node }: ProgramPoint, key: string): boolean {
  if (isOfResults(key)) return handler.joins;
  return isInJsonOfTool(key) && handler.type === 'tool' && !printsJson(node);
}

/** Parallel nodes with a list, by the key of their items. */
export function listsByItem(graph: Graph): ReadonlyMap<string, readonly string[]> {
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
