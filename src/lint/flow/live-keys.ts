import { keysOf } from '../../graph/evaluate-condition.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { clausesOf } from '../../parser/condition/clauses-of.js';
import { flatKey } from '../conditions/variable.js';
import type { FlowKeys } from './flow-keys.js';

/** A place besides conditions at which a key is read. */
export interface KeyRead {
  readonly key: string;
  readonly nodeId: string;
}

/** Finds the keys whose value may still matter to a run that enters a node: all others are as good as unknown. */
export function liveKeys(
  program: Program,
  keys: FlowKeys,
  wanted: KeyRead | undefined,
): (nodeId: string) => ReadonlySet<string> {
  const before = predecessorsIn(program);
  const live = new Map<string, Set<string>>();
  for (const key of keys.values.keys()) {
    const readers = [...program.nodes.values()].filter((node) => reads(node, key)).map(({ id }) => id);
    const found = new Set(wanted?.key === key ? [...readers, wanted.nodeId] : readers);
    for (const id of found) {
      const known = live.get(id);
      if (known === undefined) live.set(id, new Set([key]));
      else known.add(key);
      for (const from of before.get(id) ?? []) found.add(from);
    }
  }
  return (nodeId) => live.get(nodeId) ?? none;
}

const none: ReadonlySet<string> = new Set();

function reads({ edges, ownRules }: ProgramNode, key: string): boolean {
  const conditions = edges.flatMap(({ condition }) => condition ?? []);
  const all = ownRules?.failWhen === undefined ? conditions : [...conditions, ownRules.failWhen];
  if (
    all.some((one) =>
      clausesOf(one).some((clause) => keysOf(clause).some(({ path }) => flatKey(path) === key)),
    )
  )
    return true;
  // A value that passes on another one.
  return (ownRules?.assignments ?? []).some(({ value }) => value.kind !== 'constant');
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
