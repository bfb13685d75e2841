import type { Observation } from '../../../src/graph/properties/observation.js';
import { groupsOf } from './groups-of.js';
import type { Clause, Model, ModelEdge, ModelNode } from './random-pipelines.js';

// The semantics once more, from docs/semantics.md and without any code of src: every state that a run of a small pipeline can be
// in, by brute force. What lint claims is held against it.

export const statuses = ['success', 'partial_success', 'skipped', 'fail'] as const;
export type Status = (typeof statuses)[number];

/** Values of the key: the mentioned words, another one, and none. */
const keyValues = ['red', 'blue', 'else', undefined] as const;
type KeyValue = (typeof keyValues)[number];

interface State {
  readonly nodeId: string;
  /** Outcome of the last stage, on which a diamond routes. */
  readonly status: Status;
  readonly label: string;
  readonly suggests: string | undefined;
  readonly k: KeyValue;
  /** Latest outcomes of the goal gates, in the order in which they first had one. */
  readonly gates: readonly (readonly [id: string, isSatisfied: boolean])[];
  /** Visits of the nodes with a limit, up to it. */
  readonly visits: Readonly<Record<string, number>>;
  readonly visitedGates: readonly string[];
}

/** A node has settled, and its route is chosen. */
export interface Departure {
  readonly nodeId: string;
  readonly status: Status;
  readonly k: KeyValue;
  readonly edge: ModelEdge | undefined;
  /** Edges whose condition holds. */
  readonly holding: readonly ModelEdge[];
  readonly label: string;
  readonly suggests: string | undefined;
  /** True if the label has chosen the edge. */
  readonly isByLabel: boolean;
  readonly end: 'none' | 'stage_failed' | 'no_route';
}

/** All that can happen in branches; an edge and a jump are written `from to`. */
export interface BranchFacts {
  /** Nodes in branches that come to their end. */
  readonly ending: ReadonlySet<string>;
  /** Edges with which a branch, or the run, does not fail. */
  readonly kept: ReadonlySet<string>;
  /** Jumps to retry targets. */
  readonly jumps: ReadonlySet<string>;
  /** Stages that begin after the branches although one has failed at a stage, or has taken an edge to the exit: `cause: stage`. */
  readonly continued: ReadonlySet<string>;
}

/** Facts of a pipeline without branches. */
export const noBranches: BranchFacts = {
  ending: new Set(),
  kept: new Set(),
  jumps: new Set(),
  continued: new Set(),
};

/** All that can happen in runs of a pipeline. */
export interface Facts {
  readonly entered: ReadonlySet<string>;
  readonly departures: readonly Departure[];
  /** Nodes from which some run comes to its end. */
  readonly completing: ReadonlySet<string>;
  readonly branches: BranchFacts;
  /** Gates without which some run completes. */
  readonly bypassed: ReadonlySet<string>;
  /** True if control can pass all of these nodes again and again, without an end but that of `max_steps`. */
  readonly goesRound: (ids: readonly string[]) => boolean;
  /** Nodes that are entered with the key absent. */
  readonly enteredWithout: ReadonlySet<string>;
  /** True if a run goes from the start along these nodes, without those left out in the middle. */
  readonly isWay: (ids: readonly string[]) => boolean;
}

/** @returns undefined for too many states */
export function factsOf(model: Model): Facts | undefined {
  const search = new Search(model);
  return search.run() ? search.facts() : undefined;
}

/** A history of a run that is wanted, if there is one. */
export interface Histories {
  readonly found: readonly Observation[] | undefined;
  /** False if there were too many histories, or too long ones. */
  readonly isComplete: boolean;
}

/** Follows the histories of all runs, each with what a property may see of it. */
export function historiesOf(
  model: Model,
  keeps: (seen: Observation) => boolean,
  isWanted: (history: readonly Observation[]) => boolean,
): Histories {
  return new Search(model).histories(keeps, isWanted);
}

const mostHistories = 30_000;
const longestHistory = 10;

const mostStates = 60_000;
/** That of the specification is so large that it never ends one of these runs before they repeat. */
const noLimit = Number.POSITIVE_INFINITY;

class Search {
  readonly #model: Model;
  readonly #states = new Map<string, { readonly state: State; readonly next: string[] }>();
  readonly #departures = new Map<string, Departure>();
  readonly #bypassed = new Set<string>();
  readonly #gateIds: readonly string[];
  readonly #ends: string[] = [];

  constructor(model: Model) {
    this.#model = model;
    this.#gateIds = [...model.nodes.values()].filter(({ goalGate }) => goalGate).map(({ id }) => id);
  }

  #first(): State {
    return {
      nodeId: this.#model.first,
      status: 'success',
      label: '',
      suggests: undefined,
      k: undefined,
      gates: [],
      visits: {},
      visitedGates: [],
    };
  }

  run(): boolean {
    const open = [this.#add(this.#first())];
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      const entry = this.#states.get(key);
      if (entry === undefined || this.#states.size > mostStates) return false;
      for (const next of this.#after(entry.state)) {
        const isNew = !this.#states.has(keyOf(next));
        const added = this.#add(next);
        entry.next.push(added);
        if (isNew) open.push(added);
      }
    }
    return true;
  }

  histories(
    keeps: (seen: Observation) => boolean,
    isWanted: (history: readonly Observation[]) => boolean,
  ): Histories {
    const known = new Set<string>();
    const open: { readonly state: State; readonly history: readonly Observation[] }[] = [];
    let isComplete = true;
    let found: readonly Observation[] | undefined;
    const reach = (
      state: State | undefined,
      before: readonly Observation[],
      seen: readonly Observation[],
    ): void => {
      const history = [...before, ...seen.filter(keeps)];
      if (history.length > before.length && isWanted(history)) found ??= history;
      if (state === undefined) return;
      const key = `${keyOf(state)} ${JSON.stringify(history)}`;
      if (known.has(key)) return;
      known.add(key);
      if (history.length > longestHistory) isComplete = false;
      else open.push({ state, history });
    };
    reach(this.#first(), [], [{ kind: 'started', nodeId: 'start' }, ended('start', 'success')]);
    for (let next = open.shift(); next !== undefined && found === undefined; next = open.shift()) {
      if (known.size > mostHistories) return { found, isComplete: false };
      const { state, history } = next;
      for (const { seen, after } of this.#seenAfter(state)) {
        if (after.length === 0) reach(undefined, history, seen);
        for (const one of after) reach(one, history, seen);
      }
    }
    return { found, isComplete };
  }

  /** What is seen of the visits of a node, and where control may be afterwards. */
  #seenAfter(
    state: State,
  ): readonly { readonly seen: readonly Observation[]; readonly after: readonly State[] }[] {
    const { nodeId } = state;
    const started: Observation = { kind: 'started', nodeId };
    if (nodeId === 'exit') {
      const before = this.#ends.length;
      const after = this.#atExit(state);
      const isEnd = this.#ends.length > before;
      return [{ seen: isEnd ? [started, ended(nodeId, 'success'), { kind: 'completes' }] : [], after }];
    }
    const node = this.#model.nodes.get(nodeId);
    if (node === undefined) throw new Error(`no node ${nodeId}`);
    const visited = this.#visited(node, state);
    if (visited === undefined) return [];
    return this.#results(node, visited).map((one) => ({
      // A diamond passes on the outcome before it, and has one of its own.
      seen: [started, ended(nodeId, node.kind === 'diamond' ? 'success' : one.status)],
      after: this.#leave(node, one),
    }));
  }

  #add(state: State): string {
    const key = keyOf(state);
    if (!this.#states.has(key)) this.#states.set(key, { state, next: [] });
    return key;
  }

  /** States in which control may be after the visit of a node, or none if the run ends. */
  #after(state: State): readonly State[] {
    if (state.nodeId === 'exit') return this.#atExit(state);
    const node = this.#model.nodes.get(state.nodeId);
    if (node === undefined) throw new Error(`no node ${state.nodeId}`);
    const visited = this.#visited(node, state);
    if (visited === undefined) return [];
    return this.#results(node, visited).flatMap((one) => this.#leave(node, one));
  }

  /** State as a visit has begun; undefined if a limit keeps the run from it. */
  #visited(node: ModelNode, state: State): State | undefined {
    const visits = state.visits[node.id] ?? 0;
    if (visits >= (node.maxVisits ?? noLimit)) return undefined;
    return {
      ...state,
      visits: node.maxVisits === undefined ? state.visits : { ...state.visits, [node.id]: visits + 1 },
      visitedGates:
        node.goalGate && !state.visitedGates.includes(node.id)
          ? [...state.visitedGates, node.id].sort()
          : state.visitedGates,
    };
  }

  /** What a visit may come to. */
  #results(node: ModelNode, state: State): readonly State[] {
    if (node.kind === 'diamond') return [{ ...state, k: node.assigns ?? state.k }];
    // A command may write a status file, and is then as free as a model.
    return statuses.flatMap((status) => {
      const settled = {
        ...state,
        status,
        label: '',
        suggests: undefined,
        gates: gatesAfter(node, state, status),
      };
      const labels = new Set(['', ...this.#model.edges.map(({ label }) => label)]);
      const targets = new Set(this.#model.edges.map(({ to }) => to));
      // A stage sets the key to anything, or not at all.
      const values = [...new Set<KeyValue>([state.k, ...keyValues.filter((value) => value !== undefined)])];
      return values.flatMap((k) => {
        const base = this.#assigned(node, { ...settled, k });
        return [
          ...[...labels].map((label) => ({ ...base, label })),
          ...[...targets].map((suggests) => ({ ...base, suggests })),
        ];
      });
    });
  }

  #assigned(node: ModelNode, state: State): State {
    return node.assigns === undefined || state.status === 'fail' ? state : { ...state, k: node.assigns };
  }

  #leave(node: ModelNode, state: State): readonly State[] {
    const { suggests } = state;
    const route = this.#route(node, state, suggests);
    const departure: Departure = {
      nodeId: node.id,
      status: state.status,
      k: state.k,
      label: state.label,
      suggests,
      edge: 'edge' in route ? route.edge : undefined,
      holding: this.#edgesOf(node).filter(
        (edge) => edge.condition !== undefined && holds(edge.condition, state),
      ),
      isByLabel:
        'edge' in route &&
        route.edge.condition === undefined &&
        state.label !== '' &&
        route.edge.label === state.label,
      end: 'end' in route ? route.end : 'none',
    };
    this.#departures.set(JSON.stringify(departure), departure);
    const to = 'edge' in route ? route.edge.to : 'jump' in route ? route.jump : undefined;
    return to === undefined ? [] : [this.#arriving(to, state)];
  }

  /** Only a diamond routes on the outcome before it, and one to which the exit sends back. */
  #arriving(nodeId: string, state: State): State {
    const matters = nodeId === 'exit' || this.#model.nodes.get(nodeId)?.kind === 'diamond';
    return matters
      ? { ...state, nodeId }
      : { ...state, nodeId, status: 'success', label: '', suggests: undefined };
  }

  #route(
    node: ModelNode,
    state: State,
    suggests: string | undefined,
  ):
    | { readonly edge: ModelEdge }
    | { readonly jump: string }
    | { readonly end: 'stage_failed' | 'no_route' } {
    const edges = this.#edgesOf(node);
    const ordinary = (): ModelEdge | undefined => {
      const conditional = first(edges.filter((edge) => edge.condition && holds(edge.condition, state)));
      return (
        conditional ??
        choose(
          edges.filter((edge) => edge.condition === undefined),
          state.label,
          suggests,
        )
      );
    };
    if (state.status !== 'fail') {
      const edge = ordinary();
      return edge === undefined ? { end: 'no_route' } : { edge };
    }
    const isPlain = ({ condition }: ModelEdge): boolean => condition === undefined;
    const hasElse = node.kind === 'diamond' && edges.some(isPlain) && !edges.every(isPlain);
    if (hasElse) {
      const edge = ordinary();
      return edge === undefined ? { end: 'stage_failed' } : { edge };
    }
    const conditional = first(edges.filter((edge) => edge.condition && holds(edge.condition, state)));
    if (conditional !== undefined) return { edge: conditional };
    if (node.retryTarget !== undefined && node.retryTarget !== 'exit') return { jump: node.retryTarget };
    const intoDiamond = edges.filter(
      (edge) => isPlain(edge) && this.#model.nodes.get(edge.to)?.kind === 'diamond',
    );
    const into = choose(intoDiamond, state.label, suggests);
    if (into !== undefined) return { edge: into };
    const otherwise = node.continues ? ordinary() : undefined;
    return otherwise === undefined ? { end: 'stage_failed' } : { edge: otherwise };
  }

  #atExit(state: State): readonly State[] {
    const unsatisfied =
      state.gates.find(([, isSatisfied]) => !isSatisfied)?.[0] ??
      (this.#model.requiresGates
        ? this.#gateIds.find((id) => !state.gates.some(([gate]) => gate === id))
        : undefined);
    if (unsatisfied === undefined) {
      this.#ends.push(keyOf(state));
      for (const id of this.#gateIds) if (!state.visitedGates.includes(id)) this.#bypassed.add(id);
      return [];
    }
    const own = this.#model.nodes.get(unsatisfied)?.retryTarget;
    const target = [own, this.#model.retryTarget].find((id) => id !== undefined && id !== 'exit');
    // At most 50 times, which is more than what can be reached by that.
    return target === undefined ? [] : [this.#arriving(target, state)];
  }

  #edgesOf({ id }: ModelNode): readonly ModelEdge[] {
    return this.#model.edges.filter(({ from }) => from === id);
  }

  facts(): Facts {
    const states = [...this.#states.values()].map(({ state }) => state);
    const entered = states.filter(
      ({ nodeId, visits }) => (visits[nodeId] ?? 0) < (this.#model.nodes.get(nodeId)?.maxVisits ?? noLimit),
    );
    const loops = this.#loops();
    return {
      entered: new Set(entered.map(({ nodeId }) => nodeId)),
      enteredWithout: new Set(entered.flatMap(({ nodeId, k }) => (k === undefined ? [nodeId] : []))),
      departures: [...this.#departures.values()],
      completing: this.#completing(),
      branches: noBranches,
      bypassed: this.#bypassed,
      goesRound: (ids) => loops.some((loop) => ids.every((id) => loop.has(id))),
      isWay: (ids) => this.#isWay(ids),
    };
  }

  #isWay([firstId, ...ids]: readonly string[]): boolean {
    let here = [...this.#states.keys()].slice(0, 1).filter((key) => this.#idOf(key) === firstId);
    for (const id of ids) {
      const next = here.flatMap((key) => this.#states.get(key)?.next ?? []);
      here = [...new Set(next)].filter((key) => this.#idOf(key) === id);
    }
    return here.length > 0;
  }

  #idOf(key: string): string | undefined {
    return this.#states.get(key)?.state.nodeId;
  }

  #completing(): ReadonlySet<string> {
    const before = new Map<string, string[]>();
    for (const [key, { next }] of this.#states)
      for (const to of next) before.set(to, [...(before.get(to) ?? []), key]);
    const found = new Set(this.#ends);
    for (const key of found) for (const from of before.get(key) ?? []) found.add(from);
    return new Set([...found].map((key) => this.#idOf(key) ?? ''));
  }

  /** Loops without the exit: how often it sends back is limited. */
  #loops(): readonly ReadonlySet<string>[] {
    const order = [...this.#states.keys()].filter((key) => this.#states.get(key)?.state.nodeId !== 'exit');
    const numbers = new Map(order.map((key, index) => [key, index]));
    const next = order.map((key) =>
      (this.#states.get(key)?.next ?? []).flatMap((to) => numbers.get(to) ?? []),
    );
    return groupsOf(next).map(
      (group) => new Set(group.map((index) => this.#states.get(order[index] ?? '')?.state.nodeId ?? '')),
    );
  }
}

function ended(nodeId: string, status: Status): Observation {
  return { kind: 'ended', nodeId, outcome: { status } };
}

function keyOf({ gates, visits, ...rest }: State): string {
  return JSON.stringify([
    rest.nodeId,
    rest.status,
    rest.label,
    rest.suggests ?? 0,
    rest.k ?? 0,
    gates,
    Object.entries(visits).sort(),
    rest.visitedGates,
  ]);
}

/** A stage that was skipped leaves the outcome of before. */
function gatesAfter({ id, goalGate }: ModelNode, { gates }: State, status: Status): State['gates'] {
  if (!goalGate || status === 'skipped') return gates;
  const isSatisfied = status !== 'fail';
  if (!gates.some(([gate]) => gate === id)) return [...gates, [id, isSatisfied]];
  return gates.map((entry) => (entry[0] === id ? [id, isSatisfied] : entry));
}

function holds(clauses: readonly Clause[], { status, k }: Pick<State, 'status' | 'k'>): boolean {
  return clauses.every(({ key, sign, value }) => {
    const found = key === 'outcome' ? status : (k ?? '');
    return (found === value) === (sign === '=');
  });
}

function first(edges: readonly ModelEdge[]): ModelEdge | undefined {
  return [...edges].sort((one, other) => other.weight - one.weight || (one.to < other.to ? -1 : 1))[0];
}

function choose(
  edges: readonly ModelEdge[],
  label: string,
  suggests: string | undefined,
): ModelEdge | undefined {
  const labelled = label === '' ? undefined : edges.find((edge) => edge.label === label);
  return labelled ?? edges.find(({ to }) => to === suggests) ?? first(edges);
}
