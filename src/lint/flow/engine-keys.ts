import type { JsonValue } from '../../graph/json.js';
import type { ProgramNode } from '../../graph/program.js';
import { stagePathOf } from '../../graph/values/seen-stages.js';
import type { Clause } from '../../parser/condition/print.js';
import { flatKey } from '../conditions/variable.js';
import { type FlowValues, type Said, withEntry } from './flow-state.js';

// Values that no stage chooses, because the engine itself knows them (SEMANTICS 36, 104).

const restarts = 'internal.restart_count';
const failedNode = 'internal.last_failure.node';

/** Paths that read the outcome which routes, by its parts (SEMANTICS 114). */
const paths = {
  status: ['outcome', 'result.outcome', 'result.status', 'result.success'],
  label: ['preferred_label', 'result.preferred_label'],
} as const;

/** True for a path that reads a part of the outcome which routes; without a part, any of them. */
export function isOfOutcome(path: string, part?: keyof typeof paths): boolean {
  const all: readonly string[] = part === undefined ? [...paths.status, ...paths.label] : paths[part];
  return all.includes(path);
}

/** Fields of `stages.<id>.` that a search knows. */
const stageFields: readonly (string | undefined)[] = ['outcome', 'success', 'preferred_label', 'visits'];

/** True for a key that an author's stage cannot set, whatever its status. */
export function isSetByEngine(key: string): boolean {
  return /^(?:human|parallel|tool|inputs|stages|internal)\./.test(key);
}

/**
 * True for a value of the engine that a search can follow.
 * @param clauses those that read it
 */
export function isEngineKey(
  path: string,
  nodes: readonly ProgramNode[],
  clauses: readonly Clause[],
): boolean {
  const key = flatKey(path);
  if (key === failedNode) return true;
  if (key === restarts) return clauses.every(isCount);
  const stage = stagePathOf(path);
  if (stage === undefined || stage.branch !== undefined || stage.way.length > 0) return false;
  // Branches see stages of their own, and the join decides which of them are seen after it.
  if (nodes.some(({ parallel }) => parallel !== undefined)) return false;
  const isThere = nodes.some(({ id }) => id === stage.id);
  if (!isThere || !stageFields.includes(stage.field)) return false;
  return stage.field !== 'visits' || clauses.every(isCount);
}

/** True for a test that tells no two numbers apart which are greater than all those that it mentions. */
function isCount(clause: Clause): boolean {
  if (clause.kind !== 'comparison') return true;
  const { left, operator, right } = clause;
  const literals = [left, right].flatMap((side) => (side.kind === 'list' ? side.items : [side]));
  const keys = literals.filter(({ kind }) => kind !== 'literal');
  return keys.length === 1 && left.kind === 'key' && operator !== 'matches' && operator !== 'contains';
}

/** Fields of stages that conditions read, by the id of the stage. */
export function stageFieldsRead(keys: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const key of keys) {
    const { id, field } = stagePathOf(key) ?? {};
    if (id === undefined || field === undefined) continue;
    found.set(id, [...(found.get(id) ?? []), field]);
  }
  return found;
}

/** Followed values of the engine, and what changes them. */
export class EngineValues {
  readonly #known: ReadonlyMap<string, readonly JsonValue[]>;
  readonly #fields: ReadonlyMap<string, readonly string[]>;

  /** @param known followed keys with the values that conditions tell apart */
  constructor(known: ReadonlyMap<string, readonly JsonValue[]>) {
    this.#known = known;
    this.#fields = stageFieldsRead(known.keys());
  }

  /** Values with which a run begins, and each restart of it. */
  first(values: FlowValues, restart = 0): FlowValues {
    let first = this.#known.has(restarts)
      ? withEntry(values, restarts, this.#most(restarts, restart))
      : values;
    for (const [id, fields] of this.#fields)
      if (fields.includes('visits')) first = withEntry(first, visitsOf(id), 0);
    return first;
  }

  /** Values after the restart of a run. */
  restarted(values: FlowValues, before: FlowValues): FlowValues {
    return this.first(values, Number(before.get(restarts) ?? 0) + 1);
  }

  /** A visit begins. */
  visited(values: FlowValues, id: string): FlowValues {
    const key = visitsOf(id);
    if (this.#fields.get(id)?.includes('visits') !== true) return values;
    return withEntry(values, key, this.#most(key, Number(values.get(key) ?? 0) + 1));
  }

  /** A visit ends with the outcome that routes. */
  settled(values: FlowValues, id: string, { status, preferred_label: label }: Said): FlowValues {
    const fields = this.#fields.get(id);
    if (fields === undefined) return values;
    const facts: Readonly<Record<string, JsonValue>> = {
      outcome: status,
      success: status !== 'fail' && status !== 'retry',
      preferred_label: label ?? null,
    };
    let after = values;
    for (const [field, value] of Object.entries(facts))
      if (fields.includes(field)) after = withEntry(after, `stages.${id}.${field}`, value);
    return after;
  }

  /** A visit has ended as a failure. */
  failed(values: FlowValues, id: string): FlowValues {
    return this.#known.has(failedNode) ? withEntry(values, failedNode, id) : values;
  }

  /** Count up to where the next one makes no difference. */
  #most(key: string, count: number): number {
    const mentioned = (this.#known.get(key) ?? []).map(Number).filter(Number.isFinite);
    return Math.min(count, Math.max(0, ...mentioned.map(Math.ceil)) + 1);
  }
}

function visitsOf(id: string): string {
  return `stages.${id}.visits`;
}
