import type { Graph } from '../../graph/graph.js';
import type { JsonValue } from '../../graph/json.js';
import type { ProgramNode } from '../../graph/program.js';
import { declaredInputs } from '../../graph/values/declared-inputs.js';
import { flatKey } from '../conditions/variable.js';
import { inputRead } from './input-values.js';

/** Lists that a search tries for the branches of a parallel node: without an item, with one, and with several. */
export const triedLists: readonly (readonly string[])[] = [[], ['one'], ['one', 'two']];

/** Input whose items become branches (SEMANTICS 106). */
export interface ListInput {
  readonly name: string;
  /** Key by which the parallel node reads it. */
  readonly key: string;
  /** Value of a run that is not given the input; undefined if it must be given, or has no value then. */
  readonly byDefault: JsonValue | undefined;
  /** True if a run must be given it. */
  readonly isRequired: boolean;
}

/** Inputs that may be a list and that parallel nodes read as one, in the order of the nodes. */
export function listInputs(graph: Graph, nodes: Iterable<ProgramNode>): readonly ListInput[] {
  const declared = declaredInputs(graph);
  const found = new Map<string, ListInput>();
  for (const { parallel } of nodes) {
    const key = flatKey(parallel?.foreach?.path ?? '');
    const name = inputRead(graph, key);
    if (name === undefined || name === '' || found.has(key)) continue;
    const entry = declared?.get(name);
    const { type, isOptional = true, default: literal } = entry ?? {};
    if (type !== undefined && type.kind !== 'list' && type.kind !== 'any') continue;
    const nothing = entry === undefined ? undefined : null;
    const byDefault = literal?.value ?? (isOptional ? nothing : undefined);
    found.set(key, { name, key, byDefault, isRequired: !isOptional && literal === undefined });
  }
  return [...found.values()];
}
