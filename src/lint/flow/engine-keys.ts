import { keysOf } from '../../graph/evaluate-condition.js';
import type { JsonValue } from '../../graph/json.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { stageStatuses } from '../../graph/stage-status.js';
import { stagePathOf } from '../../graph/values/seen-stages.js';
import { isSetByEngine } from '../../graph/values/written-keys.js';
import { clausesOf } from '../../parser/condition/clauses-of.js';
import type { Clause } from '../../parser/condition/print.js';
import { flatKey } from '../conditions/variable.js';
import { nodesInBranches } from './flow-forks.js';
import { type FlowValues, type Said, withEntry } from './flow-state.js';
import { routedKey } from './routed-node.js';

// Values that no stage chooses, because the engine itself knows them (SEMANTICS 36, 104).

const restarts = 'internal.restart_count';
const failedNode = 'internal.last_failure.node';
const retryCount = 'internal.retry_count.';

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
export function isSetWithoutAuthor(key: string): boolean {
  return key === routedKey || isSetByEngine(key);
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
  if (key.startsWith(retryCount))
    return clauses.every(isCount) && countsRetries(nodes, key.slice(retryCount.length));
  const stage = stagePathOf(path);
  if (stage === undefined || stage.branch !== undefined || stage.way.length > 0) return false;
  const isThere = nodes.some(({ id }) => id === stage.id);
  if (!isThere || !stageFields.includes(stage.field)) return false;
  return stage.field !== 'visits' || clauses.every(isCount);
}

/** True for a node of which it is known how many attempts a visit may have, and whose visits never overlap. */
function countsRetries(nodes: readonly ProgramNode[], id: string): boolean {
  const node = nodes.find((one) => one.id === id);
  if (node === undefined || nodes.some(({ parallel }) => parallel?.sharedNodes.has(id))) return false;
  const { handler, retry, ownRules, parallel } = node;
  if (retry.maxAttempts <= 1 || handler.instant) return true;
  if (!handler.retriesFailure || handler.joins || parallel !== undefined) return false;
  // Its own rules would read how many attempts there were before.
  const own = [ownRules?.failWhen, ownRules?.retryWhen].flatMap((one) =>
    one === undefined ? [] : clausesOf(one),
  );
  return !own.some((clause) => keysOf(clause).some(({ path }) => flatKey(path) === retryCount + id));
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
  /** Nodes in branches, each of which counts its own visits. */
  readonly #inBranches: ReadonlySet<string>;

  /** @param known followed keys with the values that conditions tell apart */
  constructor(known: ReadonlyMap<string, readonly JsonValue[]>, program: Program) {
    this.#known = known;
    this.#fields = stageFieldsRead(known.keys());
    this.#inBranches = this.#fields.size === 0 ? new Set() : nodesInBranches(program);
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

  /**
   * Values with the node whose outcome routes.
   * @param inherits true for a diamond that passes another outcome on
   */
  routed(values: FlowValues, id: string, inherits: boolean): FlowValues {
    if (!this.#known.has(routedKey) || (inherits && values.has(routedKey))) return values;
    return withEntry(values, routedKey, id);
  }

  /**
   * Numbers of attempts that asked for another one before a visit ended, one for all that no condition tells apart.
   * @param attempts attempts that end alike at the end of the visit; undefined if that is not known
   */
  retriesOf(
    { id, retry }: ProgramNode,
    status: Said['status'],
    attempts: number | undefined,
  ): readonly Retries[] {
    const key = retryCount + id;
    if (!this.#known.has(key)) return notRead;
    if (status !== 'fail' || retry.maxAttempts <= 1) return [{ asked: 0, count: 0 }];
    const most = this.#most(key, retry.maxAttempts - 1);
    if (attempts !== undefined && attempts > 1) return [{ asked: 0, count: most }];
    return Array.from({ length: most + 1 }, (_, asked) => ({ asked, count: asked }));
  }

  /** Values with the retries of a visit. */
  retried(values: FlowValues, id: string, count: number | undefined): FlowValues {
    return count === undefined ? values : withEntry(values, retryCount + id, count);
  }

  /** Most visits in a line of control that something tells apart, of a node of which each line counts its own. */
  mostInLine(id: string): number {
    return this.#countsVisits(id) && this.#inBranches.has(id) ? this.#most(visitsOf(id)) : 0;
  }

  /**
   * Values after the beginning of a visit.
   * @param inLine number of the visit in its line of control; undefined if it may be any
   */
  visited(before: FlowValues, id: string, inLine: number | undefined): readonly FlowValues[] {
    const values = this.#known.has(retryCount + id) ? withEntry(before, retryCount + id, 0) : before;
    if (!this.#countsVisits(id)) return [values];
    const key = visitsOf(id);
    if (!this.#inBranches.has(id))
      return [withEntry(values, key, this.#most(key, Number(values.get(key) ?? 0) + 1))];
    if (inLine !== undefined) return [withEntry(values, key, this.#most(key, inLine))];
    return this.#anyVisits(values, id);
  }

  #countsVisits(id: string): boolean {
    return this.#fields.get(id)?.includes('visits') === true;
  }

  #anyVisits(values: FlowValues, id: string): readonly FlowValues[] {
    const key = visitsOf(id);
    return Array.from({ length: this.#most(key) }, (_, index) => withEntry(values, key, index + 1));
  }

  /** Values with all that stages may have said in branches, or not. */
  anythingSaid(
    values: FlowValues,
    ids: () => readonly string[],
  ): { readonly all: readonly FlowValues[]; readonly areAll: boolean } {
    let all: readonly FlowValues[] = [values];
    if (this.#fields.size === 0) return { all, areAll: true };
    for (const id of ids()) {
      if (!this.#fields.has(id)) continue;
      const each = all.map((one) => [one, ...this.#saidBy(one, id)]);
      if (each.flat().length > mostSaid) return { all, areAll: false };
      all = each.flat();
    }
    return { all, areAll: true };
  }

  #saidBy(values: FlowValues, id: string): readonly FlowValues[] {
    const labels = [undefined, ...(this.#known.get(`stages.${id}.preferred_label`) ?? [])];
    const begun = this.#countsVisits(id) ? this.#anyVisits(values, id) : [values];
    const words = stageStatuses.flatMap((status) =>
      labels.map((label) => ({
        status,
        preferred_label: typeof label === 'string' ? label : undefined,
        suggested_next_ids: undefined,
      })),
    );
    const said = begun.flatMap((one) => words.map((word) => this.settled(one, id, word)));
    const different = new Map(said.map((one) => [JSON.stringify([...one].sort()), one]));
    return [...different.values()];
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
  #most(key: string, count = Number.POSITIVE_INFINITY): number {
    const mentioned = (this.#known.get(key) ?? []).map(Number).filter(Number.isFinite);
    return Math.min(count, Math.max(0, ...mentioned.map(Math.ceil)) + 1);
  }
}

/** Retries of a visit: those that a script asks for by themselves, and the number that conditions read. */
export interface Retries {
  readonly asked: number;
  readonly count: number | undefined;
}

const notRead: readonly Retries[] = [{ asked: 0, count: undefined }];

/** Most of what stages may have said in branches. */
const mostSaid = 256;

function visitsOf(id: string): string {
  return `stages.${id}.visits`;
}
