import { keysOf } from '../../graph/evaluate-condition.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { clausesOf } from '../../parser/condition/clauses-of.js';
import { flatKey } from '../conditions/variable.js';
import { isFork, nodesInside, resultsKey } from './flow-forks.js';
import type { FlowKeys } from './flow-keys.js';
import { routedKey, routedNode } from './routed-node.js';
import { setsAlways, setsFreely } from './stage-choices.js';

/** A place besides conditions at which a key is read. */
export interface KeyRead {
  readonly key: string;
  readonly nodeId: string;
}

/** Keys of which something that can follow a node depends on the value; all others are as good as unknown. */
export interface LiveKeys {
  /** Keys whose value matters to a run that enters the node. */
  entering(nodeId: string): ReadonlySet<string>;
  /** The same, without those that a later stage may set to anything before they are read. */
  near(nodeId: string): ReadonlySet<string>;
  /** Keys that matter as the node leaves them, before a later stage may set them to anything. */
  leaving(nodeId: string): ReadonlySet<string>;
}

/**
 * @param before nodes from which control may go to a node
 * @param wanted a read besides conditions
 */
export function liveKeys(
  program: Program,
  before: ReadonlyMap<string, ReadonlySet<string>>,
  keys: FlowKeys,
  wanted: KeyRead | undefined,
): LiveKeys {
  const nodes = [...program.nodes.values()];
  const [entering, near, leaving] = [new Map(), new Map(), new Map()] as Map<string, Set<string>>[];
  const beforeJoins = [...keys.values.keys()].some(isOfStage) ? predecessorsAtJoins(program, before) : before;
  for (const key of keys.values.keys()) {
    const own = wanted?.key === key ? [wanted.nodeId] : [];
    const readers = nodes.filter((node) => reads(node, key)).map(({ id }) => id);
    const after = (kills: (node: ProgramNode) => boolean) =>
      liveBefore(program, isOfStage(key) ? beforeJoins : before, { own, readers, kills });
    const always = after((node) => setsAlways(node, key));
    const rarely = after((node) => setsAlways(node, key) || setsFreely(node, key));
    for (const id of always.entering) note(entering, id, key);
    for (const id of rarely.entering) note(near, id, key);
    for (const id of rarely.leaving) note(leaving, id, key);
  }
  return {
    entering: (id) => entering?.get(id) ?? none,
    near: (id) => near?.get(id) ?? none,
    leaving: (id) => leaving?.get(id) ?? none,
  };
}

function note(all: Map<string, Set<string>> | undefined, id: string, key: string): void {
  const known = all?.get(id);
  if (known === undefined) all?.set(id, new Set([key]));
  else known.add(key);
}

/** Places of one key. */
interface KeyUses {
  /** Nodes that read it as they are entered, and those that read it once their stage has settled. */
  readonly own: readonly string[];
  readonly readers: readonly string[];
  /** True for a node after which the value of before does not matter. */
  readonly kills: (node: ProgramNode) => boolean;
}

function liveBefore(
  { nodes }: Program,
  before: ReadonlyMap<string, ReadonlySet<string>>,
  { own, readers, kills }: KeyUses,
) {
  const entering = new Set<string>();
  const leaving = new Set<string>(readers);
  const enter = (id: string): void => {
    if (entering.has(id)) return;
    entering.add(id);
    for (const from of before.get(id) ?? []) leaving.add(from);
  };
  own.forEach(enter);
  for (const id of leaving) {
    const node = nodes.get(id);
    if (node !== undefined && !kills(node)) enter(id);
  }
  return { entering, leaving };
}

const none: ReadonlySet<string> = new Set();

function reads({ edges, ownRules, handler, parallel }: ProgramNode, key: string): boolean {
  if (key === resultsKey) return handler.joins;
  const list = parallel?.foreach?.path;
  if (list !== undefined && flatKey(list) === key) return true;
  const read = key === routedKey ? routedNode : key;
  const conditions = edges.flatMap(({ condition }) => condition ?? []);
  const ofOutcome = [ownRules?.failWhen, ownRules?.retryWhen].flatMap((one) => one ?? []);
  const all = [...conditions, ...ofOutcome];
  if (
    all.some((one) =>
      clausesOf(one).some((clause) => keysOf(clause).some(({ path }) => flatKey(path) === read)),
    )
  )
    return true;
  // A value that passes on another one.
  return (ownRules?.assignments ?? []).some(({ value }) => value.kind !== 'constant');
}

function isOfStage(key: string): boolean {
  return key.startsWith('stages.');
}

/** The same with all nodes of branches before their join, which keeps what they said wherever a branch ends (SEMANTICS 104). */
function predecessorsAtJoins(
  program: Program,
  before: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Map(before);
  for (const node of program.nodes.values()) {
    if (!isFork(node)) continue;
    const { joinId } = node.parallel;
    all.set(joinId, new Set([...(all.get(joinId) ?? []), ...nodesInside(program, node)]));
  }
  return all;
}

/** Nodes from which control may go to a node, by edges, joins, jumps and goal gates. */
export function predecessorsIn(program: Program): ReadonlyMap<string, ReadonlySet<string>> {
  const before = new Map<string, Set<string>>();
  const add = (from: string, to: string): void => {
    const known = before.get(to);
    if (known === undefined) before.set(to, new Set([from]));
    else known.add(from);
  };
  const sentBack = [...program.goalGateTargets, ...program.goalGates.flatMap((gate) => gate.jumpTargets)];
  for (const { id, edges, jumpTargets, parallel } of program.nodes.values()) {
    for (const { to } of edges) add(id, to);
    for (const { nodeId } of jumpTargets) add(id, nodeId);
    if (parallel !== undefined) add(id, parallel.joinId);
    // The run may end there, or at the exit, and be sent back.
    if (edges.length === 0) for (const { nodeId } of sentBack) add(id, nodeId);
  }
  return before;
}

/** Nodes to which each node may lead; one that leads nowhere is absent. */
export function successorsIn(
  before: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, readonly string[]> {
  const after = new Map<string, string[]>();
  for (const [to, sources] of before)
    for (const from of sources) {
      const known = after.get(from);
      if (known === undefined) after.set(from, [to]);
      else known.push(to);
    }
  return after;
}

/** Least number of steps to a node, by where they begin; a node without a way there is absent. */
export function distancesTo(
  before: ReadonlyMap<string, ReadonlySet<string>>,
  nodeId: string,
  avoided?: string,
): ReadonlyMap<string, number> {
  const found = new Map([[nodeId, 0]]);
  for (const [id, distance] of found)
    for (const from of before.get(id) ?? [])
      if (from !== avoided && !found.has(from)) found.set(from, distance + 1);
  return found;
}
