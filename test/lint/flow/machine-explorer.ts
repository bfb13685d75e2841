import { evaluateCondition } from '../../../src/graph/evaluate-condition.js';
import type { JsonValue } from '../../../src/graph/json.js';
import { perObject } from '../../../src/graph/per-object.js';
import type { Program, ProgramEdge, ProgramNode } from '../../../src/graph/program.js';
import type { Inputs } from '../../../src/graph/values/declared-inputs.js';
import type { SaidOutcome, SeenStage } from '../../../src/graph/values/seen-stages.js';
import { fanInHandler } from '../../../src/handlers/fan-in.js';
import type { Stage } from '../../../src/handlers/handler.js';
import { conditionScope } from '../../../src/machine/context.js';
import { decide } from '../../../src/machine/decide.js';
import type { ExecuteEffect, WaitEffect } from '../../../src/machine/effect.js';
import type { RunEvent } from '../../../src/machine/event.js';
import type { InputBody } from '../../../src/machine/input.js';
import type { Outcome } from '../../../src/machine/outcome.js';
import { scopeAfter as scopeOfSettled } from '../../../src/machine/routable-outcome.js';
import { type Cursor, initialState, mainCursor, type RunState } from '../../../src/machine/state.js';
import type { AttemptStage } from '../../../src/run/driver/attempt-stage.js';
import { completeOutcome } from '../../../src/run/driver/complete-outcome.js';
import { groupsOf } from './groups-of.js';
import type { ModelEdge } from './random-pipelines.js';
import type { Departure, Facts, Status } from './reference.js';

// The machine itself, with every outcome of every stage and every order of the stages of branches: what it never does, no run does.

const statuses = ['success', 'partial_success', 'skipped', 'fail'] as const;
const mostTransitions = 2000;

/** Work that has begun: a stage, or the time until its next attempt. */
type Pending = ExecuteEffect | WaitEffect;

interface Place {
  readonly state: RunState;
  readonly pending: readonly Pending[];
  readonly visited: ReadonlySet<string>;
  /** Stages at which branches have failed since they began, and edges to the exit that they took. */
  readonly causes: ReadonlySet<string>;
}

interface Transition {
  readonly to: string;
  /** Nodes that begin, those of the main line apart. */
  readonly starts: readonly { readonly id: string; readonly isMain: boolean }[];
  /** True for a step that a limit of the run bounds. */
  readonly isBounded: boolean;
}

interface Entry {
  readonly place: Place;
  readonly next: Transition[];
}

/**
 * @param inputs with which runs may begin
 * @param hopeless stages that may fail for the same final reason each time
 * @returns undefined for too many states
 */
export async function factsByMachine(
  program: Program,
  inputs: readonly Inputs[] = [{}],
  most = mostTransitions,
  hopeless: ReadonlySet<string> = new Set(),
): Promise<Facts | undefined> {
  const explorer = new Explorer(program, most, hopeless);
  return (await explorer.run(inputs)) ? explorer.facts() : undefined;
}

class Explorer {
  readonly #program: Program;
  readonly #entries = new Map<string, Entry>();
  readonly #departures = new Map<string, Departure>();
  readonly #entered = new Set<string>();
  readonly #enteredWithout = new Set<string>();
  readonly #bypassed = new Set<string>();
  readonly #ends = new Set<string>();
  readonly #branches = {
    ending: new Set<string>(),
    kept: new Set<string>(),
    jumps: new Set<string>(),
    continued: new Set<string>(),
  };
  readonly #labels: readonly string[];
  /** Keys that stages set besides `k`, where something reads them. */
  readonly #others: readonly { readonly key: string; readonly values: readonly string[] }[];
  readonly #hasLists: boolean;
  readonly #readsKey: boolean;
  /** True if it matters which branch comes first: who is first stops others, or is sent back to. */
  readonly #anyOrder: boolean;
  readonly #most: number;
  readonly #hopeless: ReadonlySet<string>;
  readonly #firsts = new Set<string>();
  #count = 0;

  constructor(program: Program, most: number, hopeless: ReadonlySet<string>) {
    this.#program = program;
    this.#most = most;
    this.#hopeless = hopeless;
    const asked = [...program.graph.nodes.values(), ...program.graph.edges].flatMap(({ attributes }) =>
      ['condition', 'fail_when', 'retry_when'].map((name) => String(attributes.get(name)?.value ?? '')),
    );
    const mentions = (part: string): boolean => asked.some((text) => text.includes(part));
    const ofEdges = program.graph.edges.map((edge) => String(edge.attributes.get('label')?.value ?? ''));
    this.#labels = [...new Set([...ofEdges, ...(mentions('preferred_label') ? ['Go', 'Other'] : [])])];
    this.#others = [
      ...(mentions('context.m') ? [{ key: 'm', values: ['blue'] }] : []),
      ...(mentions('context.mode') ? [{ key: 'mode', values: ['slow', 'other'] }] : []),
    ];
    const written = [...program.graph.nodes.values(), ...program.graph.edges].flatMap(({ attributes }) => [
      ...attributes.values(),
    ]);
    this.#readsKey = written.some(({ value }) => String(value).includes('context.k'));
    const parallels = [...program.nodes.values()].flatMap(({ parallel }) => parallel ?? []);
    this.#anyOrder =
      program.goalGates.length > 1 ||
      parallels.some(
        ({ joinPolicy, errorPolicy }) => joinPolicy === 'first_success' || errorPolicy === 'fail_fast',
      );
    this.#hasLists = [...program.nodes.values()].some(({ parallel }) => parallel?.foreach !== undefined);
  }

  async run(beginnings: readonly Inputs[]): Promise<boolean> {
    const nowhere = {
      state: initialState,
      pending: [],
      visited: new Set<string>(),
      causes: new Set<string>(),
    };
    const open = beginnings.map((inputs) => {
      const start = { kind: 'start', runId: 'run', graphHash: '', inputs } as const;
      return this.#step(nowhere, undefined, start).to;
    });
    for (const key of open) this.#firsts.add(key);
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      const entry = this.#entries.get(key);
      if (entry === undefined || this.#count > this.#most) return false;
      for (const effect of this.#anyOrder ? entry.place.pending : entry.place.pending.slice(0, 1)) {
        for (const input of await this.#inputsOf(entry.place.state, effect)) {
          this.#count += 1;
          const before = this.#entries.size;
          const transition = this.#step(entry.place, effect, input);
          entry.next.push(transition);
          if (this.#entries.size > before) open.push(transition.to);
        }
      }
    }
    return true;
  }

  #step(place: Place, effect: Pending | undefined, input: InputBody): Transition {
    const { events, effects, state } = decide(this.#program, place.state, { ...input, now: 0, random: 0 });
    const begun = effects.flatMap((one) => (one.kind === 'execute' || one.kind === 'wait' ? [one] : []));
    const stopped = new Set(effects.flatMap((one) => (one.kind === 'abort' ? [one.cursor] : [])));
    const pending = state.status === 'running' ? [...place.pending, ...begun] : [];
    const rest = pending.filter(
      (one) => one !== effect && !(stopped.has(one.cursor) && !begun.includes(one)),
    );
    const visited = new Set(place.visited);
    const starts = events.flatMap((event) => {
      if (event.type !== 'StageStarted') return [];
      visited.add(event.node_id);
      this.#entered.add(event.node_id);
      const cursor = state.cursors.get(event.branch ?? mainCursor);
      if (cursor !== undefined && !cursor.context.has('k')) this.#enteredWithout.add(event.node_id);
      return [{ id: event.node_id, isMain: event.branch === undefined }];
    });
    const causes = this.#noteBranches(place, events);
    if (effect?.kind === 'execute') this.#note(effect, events, place.state);
    const next: Place = { state, pending: rest, visited, causes };
    const key = keyOf(this.#program, next);
    if (!this.#entries.has(key)) this.#entries.set(key, { place: next, next: [] });
    if (events.some(({ type }) => type === 'PipelineCompleted')) {
      this.#ends.add(key);
      for (const { id } of this.#program.goalGates) if (!visited.has(id)) this.#bypassed.add(id);
    }
    const isBounded = events.some(
      (event) =>
        event.type === 'LoopRestarted' || (event.type === 'EdgeSelected' && event.reason === 'goal_gate'),
    );
    return { to: key, starts, isBounded };
  }

  /** Notes what branches do. Returns the causes that matter to what follows. */
  #noteBranches({ state, causes: before }: Place, events: readonly RunEvent[]): ReadonlySet<string> {
    const { ending, kept, jumps, continued } = this.#branches;
    const causes = new Set(before);
    const failed = new Set<string | undefined>();
    for (const event of events) {
      if (event.type === 'ParallelBranchCompleted') {
        const { completed = [], nodeId = '' } = state.cursors.get(event.branch) ?? {};
        if (event.error === undefined) for (const id of [...completed, nodeId]) ending.add(id);
        if (event.status === 'fail') causes.add(nodeId);
        if (event.status === 'fail') failed.add(event.branch);
      }
      const isAtExit = event.type === 'EdgeSelected' && event.to === this.#program.exitId;
      if (isAtExit && event.branch !== undefined) causes.add(`${event.from} ${event.to}`);
      const isOver =
        event.type === 'LoopRestarted' || (event.type === 'StageFailed' && this.#forks(event.node_id));
      if (isOver) causes.clear();
      if (event.type !== 'StageStarted' || event.branch !== undefined) continue;
      if (this.#forks(event.node_id)) causes.clear();
      for (const cause of causes) continued.add(`${cause}: ${event.node_id}`);
    }
    for (const event of events) {
      if (event.type === 'PipelineFailed') failed.add(undefined);
      if (event.type !== 'EdgeSelected') continue;
      const name = `${event.from} ${event.to}`;
      if (event.reason === 'retry_target' || event.reason === 'fallback_retry_target') jumps.add(name);
      else if (event.edge !== undefined && !failed.has(event.branch)) kept.add(name);
    }
    return causes;
  }

  #forks(nodeId: string): boolean {
    return this.#program.nodes.get(nodeId)?.parallel !== undefined;
  }

  /** Everything that the work of a stage may come to. */
  async #inputsOf(state: RunState, effect: Pending): Promise<readonly InputBody[]> {
    const { cursor, index, attempt } = effect;
    if (effect.kind === 'wait') return [{ kind: 'timer_fired', cursor, index, attempt }];
    const { nodeId } = effect;
    const node = this.#program.nodes.get(nodeId);
    const at = state.cursors.get(cursor);
    if (node === undefined || at === undefined) return [];
    const settled = (outcome: Outcome): InputBody => ({
      kind: 'stage_settled',
      cursor,
      index,
      attempt,
      outcome,
    });
    if (node.parallel !== undefined) {
      if (node.parallel.foreach === undefined) return [{ kind: 'fan_out', cursor, index, attempt }];
      const list = at.context.get('list');
      // A run without a list fails; a simulation makes an item up.
      const items = Array.isArray(list) ? list : ['made up'];
      return [{ kind: 'fan_out', cursor, index, attempt, items: [items] }];
    }
    if (node.handler.joins) return [settled(ruled(node, at, effect, await outcomeOfFanIn(node, at)))];
    if (node.handler.instant) return [settled(ruled(node, at, effect, { status: 'success' }))];
    return this.#outcomesOf(node).map((one) => settled(ruled(node, at, effect, one)));
  }

  #outcomesOf(node: ProgramNode): readonly Outcome[] {
    const writes = node.ownRules?.writes.find(({ key }) => key === 'k');
    const isClosed = node.node.attributes.has('writes');
    const mustWrite = writes !== undefined && !writes.isOptional;
    const typed = writes?.type?.kind === 'words';
    const keys: readonly (string | undefined)[] = isClosed
      ? [...(typed ? ['red', 'blue'] : ['red', 'blue', 'else']), undefined]
      : this.#readsKey
        ? ['red', 'blue', 'else', undefined]
        : [undefined];
    const lists: readonly (readonly string[] | undefined)[] =
      this.#hasLists && !isClosed ? [undefined, [], ['one', 'two']] : [undefined];
    const suggestions = this.#suggestions(node);
    const outcomes: Outcome[] = [];
    const always = { status: 'fail', failure_reason: 'always', retryable: false } as const;
    const endings = statuses.flatMap((status): readonly Outcome[] => {
      if (status !== 'fail') return [{ status }];
      const hopeless = this.#hopeless.has(node.id) ? [always] : [];
      if (node.retry.maxAttempts <= 1) return [{ status }, ...hopeless];
      // A stage may say that its failure is final. For the same reason again that would end the run (SEMANTICS 127).
      const failure_reason = `because of ${this.#count}`;
      const final = { status, failure_reason, retryable: false };
      return [{ status: 'retry' }, { status, failure_reason }, final, ...hopeless];
    });
    for (const { status, ...more } of endings) {
      for (const k of keys) {
        if (status === 'success' && mustWrite && k === undefined) continue;
        for (const list of lists) {
          const updates: Record<string, JsonValue> = {};
          if (k !== undefined) updates.k = k;
          if (list !== undefined) updates.list = list;
          for (const all of isClosed ? [updates] : this.#withOthers(updates)) {
            for (const label of new Set(['', ...this.#labels])) {
              const preferring = label === '' ? more : { ...more, preferred_label: label };
              outcomes.push(outcome(status, all, preferring));
              for (const to of suggestions)
                outcomes.push(outcome(status, all, { ...preferring, suggested_next_ids: [to] }));
            }
          }
        }
      }
    }
    return outcomes;
  }

  #withOthers(updates: Record<string, JsonValue>): readonly Record<string, JsonValue>[] {
    let all = [updates];
    for (const { key, values } of this.#others)
      all = all.flatMap((one) => [one, ...values.map((value) => ({ ...one, [key]: value }))]);
    return all;
  }

  /** Targets among which a suggestion can choose, at the node and at the diamonds after it. */
  #suggestions(node: ProgramNode): ReadonlySet<string> {
    const found = new Set<string>();
    const seen = new Set([node.id]);
    for (const id of seen) {
      const { edges = [], jumpTargets = [] } = this.#program.nodes.get(id) ?? {};
      const plain = edges.filter(({ condition }) => condition === undefined);
      if (plain.length > 1) for (const { to } of plain) found.add(to);
      const after = [...edges.map(({ to }) => to), ...jumpTargets.map(({ nodeId }) => nodeId)];
      for (const to of after) if (this.#isDiamond(to)) seen.add(to);
    }
    return found;
  }

  #isDiamond(id: string): boolean {
    return this.#program.nodes.get(id)?.handler.inheritsOutcome === true;
  }

  #note(effect: ExecuteEffect, events: readonly RunEvent[], before: RunState): void {
    const node = this.#program.nodes.get(effect.nodeId);
    if (node === undefined || node.id === this.#program.exitId) return;
    const ended = events.find(
      (event) =>
        (event.type === 'StageCompleted' || event.type === 'StageFailed' || event.type === 'StageSkipped') &&
        event.node_id === node.id &&
        !('stopped' in event && event.stopped),
    );
    if (ended === undefined || !('outcome' in ended)) return;
    const cursor = before.cursors.get(effect.cursor);
    if (cursor === undefined) return;
    const own = ended.outcome;
    const inherits = node.handler.inheritsOutcome === true && own.status !== 'fail';
    const routed = inherits ? (cursor.routedOutcome ?? own) : own;
    const at = scopeAfter(cursor, own, routed);
    const k = at.lookup('k');
    const holding = node.edges.filter(
      ({ condition }) => condition !== undefined && evaluateCondition(condition, at),
    );
    const line = effect.cursor === mainCursor ? undefined : effect.cursor;
    const taken = events.find(
      (event) => event.type === 'EdgeSelected' && event.from === node.id && event.branch === line,
    );
    const edge =
      taken?.type === 'EdgeSelected' && taken.edge !== undefined
        ? node.edges.find(({ index }) => index === taken.edge)
        : undefined;
    const failed = events.find(({ type }) => type === 'PipelineFailed');
    const kind = failed?.type === 'PipelineFailed' ? failed.kind : undefined;
    const isStuck =
      taken === undefined &&
      routed.status !== 'fail' &&
      node.edges.length > 0 &&
      node.parallel === undefined &&
      (kind === 'routing' || line !== undefined);
    const departure: Departure = {
      nodeId: node.id,
      status: routed.status as Status,
      k: k as Departure['k'],
      edge: edge && modelEdge(edge),
      holding: holding.map(modelEdge),
      label: routed.preferred_label ?? '',
      suggests: routed.suggested_next_ids?.[0],
      isByLabel: taken?.type === 'EdgeSelected' && taken.reason === 'preferred_label',
      // A stage that is not entered a third time fails the run after an edge (SEMANTICS 127).
      end: isStuck ? 'no_route' : kind === 'stage' && taken === undefined ? 'stage_failed' : 'none',
    };
    this.#departures.set(JSON.stringify(departure), departure);
  }

  facts(): Facts {
    const loops = this.#loops();
    return {
      entered: this.#entered,
      departures: [...this.#departures.values()],
      completing: this.#completing(),
      branches: this.#branches,
      bypassed: this.#bypassed,
      goesRound: (ids) => loops.some((loop) => ids.every((id) => loop.has(id))),
      enteredWithout: this.#enteredWithout,
      isWay: (way) => this.#isWay(way),
    };
  }

  /** Nodes at which some line of control was before a run completed. */
  #completing(): ReadonlySet<string> {
    const before = new Map<string, string[]>();
    for (const [key, { next }] of this.#entries)
      for (const { to } of next) before.set(to, [...(before.get(to) ?? []), key]);
    const found = new Set(this.#ends);
    for (const key of found) for (const from of before.get(key) ?? []) found.add(from);
    return new Set(
      [...found].flatMap((key) =>
        [...(this.#entries.get(key)?.place.state.cursors.values() ?? [])].map(({ nodeId }) => nodeId),
      ),
    );
  }

  #loops(): readonly ReadonlySet<string>[] {
    const order = [...this.#entries.keys()];
    const numbers = new Map(order.map((key, index) => [key, index]));
    const next = order.map((key) =>
      (this.#entries.get(key)?.next ?? []).flatMap(({ to, isBounded }) =>
        isBounded ? [] : (numbers.get(to) ?? []),
      ),
    );
    return groupsOf(next).map((group) => {
      const members = new Set(group);
      const within = group.flatMap((index) => this.#entries.get(order[index] ?? '')?.next ?? []);
      const nodes = group.flatMap((index) => [
        ...(this.#entries.get(order[index] ?? '')?.place.state.cursors.values() ?? []),
      ]);
      const starts = within
        .filter(({ to }) => members.has(numbers.get(to) ?? -1))
        .flatMap(({ starts: ids }) => ids);
      return new Set([...nodes.map(({ nodeId }) => nodeId), ...starts.map(({ id }) => id)]);
    });
  }

  /** True if stages begin in this order: those of the main line without others between them. */
  #isWay(way: readonly string[]): boolean {
    const open: (readonly [key: string, position: number])[] = [...this.#firsts].map((key) => [key, 0]);
    const seen = new Set<string>();
    for (const [key, position] of open) {
      for (const { to, starts } of this.#entries.get(key)?.next ?? []) {
        let positions: readonly number[] = [position];
        for (const { id, isMain } of starts)
          positions = positions.flatMap((at) =>
            way[at] === id ? (isMain ? [at + 1] : [at, at + 1]) : isMain ? [] : [at],
          );
        for (const at of positions) {
          if (at === way.length) return true;
          const name = `${at} ${to}`;
          if (!seen.has(name)) open.push([to, at]);
          seen.add(name);
        }
      }
    }
    return false;
  }
}

/** Facts of the engine that a pipeline reads. */
const attributesOf = perObject(({ graph }: Program) => {
  const text = JSON.stringify(
    [...graph.nodes.values(), ...graph.edges].map(({ attributes }) =>
      [...attributes.values()].map(({ value }) => value),
    ),
  );
  return { routed: text.includes('result.node'), retries: text.includes('retry_count') };
});

/** Keys of the context that pipelines read besides `k`. */
const otherKeys = ['m', 'mode', 'inputs.mode', 'inputs.debug', 'inputs.depth', 'inputs.free'] as const;
/** More than any number that a condition mentions. */
const mostCounted = 4;

function keyOf(program: Program, { state, pending, visited, causes }: Place): string {
  const { goalGates, stagesRead, nodes } = program;
  const isRead = attributesOf(program);
  const cursors = [...state.cursors.values()].map((cursor) => [
    cursor.id,
    cursor.nodeId,
    cursor.phase,
    cursor.context.get('k') ?? 0,
    cursor.context.get('list') ?? 0,
    cursor.updates.get('k') ?? 0,
    said(cursor.routedOutcome),
    cursor.context.get('parallel.items') ?? 0,
    resultsOf(cursor.context.get('parallel.results')),
    cursor.fork === undefined
      ? 0
      : [
          cursor.fork.next,
          cursor.fork.count,
          [...cursor.fork.results].map(([index, { status, context_updates }]) => [
            index,
            status,
            context_updates.k ?? 0,
          ]),
          [...cursor.fork.stages].map(([index, own]) => [index, stagesOf(own)]),
        ],
    cursor.items ?? 0,
    cursor.attempt,
    otherKeys.map((key) => cursor.context.get(key) ?? 0),
    (cursor.context.get('internal.last_failure') as { readonly node?: string } | undefined)?.node ?? 0,
    stagesOf(cursor.stages),
    isRead.routed ? (cursor.routedFrom ?? 0) : 0,
    isRead.retries ? [...nodes.values()].map((node) => cursor.context.get(node.retryCountKey) ?? '') : 0,
  ]);
  const gates = goalGates.map(({ id }) => id);
  return JSON.stringify([
    state.status,
    cursors,
    Math.min(state.restarts, mostCounted),
    [...state.outcomes]
      .filter(([id]) => gates.includes(id))
      .map(([id, { status }]) => [id, status === 'success' || status === 'partial_success']),
    [...state.lineVisits]
      .map(([line, count]) => [line, Math.min(count, stagesRead.size > 0 ? mostCounted : 2)])
      .sort(),
    [...state.terminalFailures]
      .map(([id, lines]) => [id, [...lines].map(([line, { count }]) => [line, Math.min(count, 2)])])
      .sort(),
    pending.map((one) => [one.cursor, one.kind === 'execute' ? one.nodeId : one.kind]).sort(),
    gates.filter((id) => visited.has(id)),
    [...causes].sort(),
  ]);
}

function stagesOf(stages: Iterable<[string, SeenStage]>): unknown {
  const seen = [...stages].sort(([one], [other]) => (one < other ? -1 : 1));
  return seen.map(([id, { visits, settled }]) => [id, Math.min(visits, mostCounted), said(settled?.outcome)]);
}

function said(outcome: SaidOutcome | undefined): unknown {
  return (
    outcome && [
      outcome.status,
      outcome.preferred_label ?? '',
      (outcome as Outcome).suggested_next_ids?.[0] ?? '',
    ]
  );
}

function resultsOf(results: JsonValue | undefined): unknown {
  if (!Array.isArray(results)) return 0;
  return results.map((result) => (result as { readonly status?: string }).status ?? '');
}

function outcome(
  status: Outcome['status'],
  updates: Record<string, JsonValue>,
  more: Partial<Outcome>,
): Outcome {
  return {
    status,
    context_updates: updates,
    ...(status === 'fail' ? { failure_reason: 'because' } : {}),
    ...more,
  };
}

/** Outcome after the own rules of the node, by the code of the driver. */
function ruled(node: ProgramNode, cursor: Cursor, effect: ExecuteEffect, said: Outcome): Outcome {
  const stage = {
    node: node.node,
    isSimulated: false,
    result: cursor.routedOutcome,
    resultNode: cursor.routedFrom,
    context: cursor.context,
    stages: { get: () => undefined },
    log() {},
    scopeAfter: (_: unknown, outcome: Outcome) => scopeOfSettled(cursor, node, outcome),
  } as unknown as AttemptStage;
  return completeOutcome(node, stage, said, effect);
}

function modelEdge({ from, to, label, weight }: ProgramEdge): ModelEdge {
  return { from, to, label, weight, condition: undefined };
}

function scopeAfter(cursor: Cursor, own: Outcome, routed: Outcome) {
  const updates = { ...own.context_updates, ...own.assigned };
  const scope = conditionScope(cursor, routed);
  return { ...scope, lookup: (key: string) => (key in updates ? updates[key] : cursor.context.get(key)) };
}

async function outcomeOfFanIn(node: ProgramNode, { context }: Cursor): Promise<Outcome> {
  const stage = { node: node.node, context, markSimulated() {} } as unknown as Stage;
  return (await fanInHandler(undefined).execute(stage)) as Outcome;
}
