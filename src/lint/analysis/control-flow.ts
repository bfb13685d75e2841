import { edgeAttribute, graphAttribute, nodeAttribute } from '../../graph/attributes.js';
import { type Adjacency, adjacencyOf } from '../../graph/flow/adjacency.js';
import { deepestNesting, parallelsAround, type Region } from '../../graph/flow/branch-regions.js';
import { type JoinPoints, joinPoints } from '../../graph/flow/join-points.js';
import { jumpTargets, usableJumpTargets } from '../../graph/flow/jump-targets.js';
import type { Graph, Node } from '../../graph/graph.js';
import type { HandlerType } from '../../graph/handler-types.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { perGraph } from '../../graph/per-graph.js';
import { exitNodes, outgoingEdges, startNodes, usedHandlerTypes } from '../../graph/queries.js';
import { attributeOwners } from '../attribute-owners.js';
import { failureJumps } from '../conditions/routes-of.js';

/** Position of control: a node, on the main line or in a branch. The context of a run flows along with it. */
export interface ProgramPoint {
  readonly index: number;
  readonly node: Node;
  readonly handler: HandlerType;
  /** Undefined on the main line. */
  readonly region: Region | undefined;
}

/** Kind of step from one point to the next. */
export type Passage =
  | 'edge'
  /** To a retry target of a stage that has failed (§3.7). */
  | 'jump'
  /**
   * From a parallel node into one of its branches; control does not return this way, the parallel node
   * continues by `join`.
   */
  | 'branch'
  | 'join'
  /** From the exit back, for a goal gate (§3.4). */
  | 'goal_gate'
  /** Restarts without the context so far (SEMANTICS 36). */
  | 'restart';

export interface Step {
  readonly to: number;
  readonly by: Passage;
}

/** Steps that a run may take, according to the graph: edges whatever their conditions, jumps and joins. */
export interface ControlFlow {
  /** Points, the start first, then in the order in which they are reached. */
  readonly points: readonly ProgramPoint[];
  readonly joins: JoinPoints;
  stepsFrom(index: number): readonly Step[];
  /**
   * True if the run, or the branch, may end here: at the exit, before the join, or where no edge leads on.
   */
  endsAt(index: number): boolean;
  placesOf(nodeId: string): readonly ProgramPoint[];
  /**
   * False if branches are so tangled that not every path was followed: then a missing point proves nothing.
   */
  readonly isComplete: boolean;
}

/** Average number of visits to a node after which the search is given up. */
const mostPlaces = 20;

/**
 * Control flow of a graph with exactly one start and one exit, computed once (§3.2, §3.4, §3.7, SEMANTICS
 * 20, 36, 48); without any point for other graphs.
 */
export const controlFlow = perGraph(findFlow);

function findFlow(graph: Graph, handlerTypes: KnownHandlerTypes): ControlFlow {
  const walker = new Walker(graph, handlerTypes);
  const [start, ...starts] = startNodes(graph);
  if (start !== undefined && starts.length === 0 && exitNodes(graph).length === 1) walker.enter(start.id);
  const limit = mostPlaces * (graph.nodes.size + graph.edges.length) + 1000;
  let next = 0;
  for (; next < walker.points.length && walker.points.length <= limit; next += 1) walker.walk(next);
  return walker.flow(next === walker.points.length);
}

/** Ends of a branch, and parallel nodes that it may not enter. */
interface Bounds {
  readonly ends: ReadonlySet<string>;
  readonly inside: ReadonlySet<string>;
}

const nowhere: readonly Step[] = [];

class Walker {
  readonly points: ProgramPoint[] = [];
  readonly #graph: Graph;
  readonly #handlerTypes: KnownHandlerTypes;
  readonly #joins: JoinPoints;
  readonly #exitId: string;
  readonly #mayRestart: boolean;
  readonly #mayJump: boolean;
  readonly #steps: (readonly Step[])[] = [];
  readonly #isEnd: boolean[] = [];
  readonly #adjacency: Adjacency;
  readonly #handlers: readonly HandlerType[];
  /**
   * Points by the number of their node; on the main line, which has most points, 1 more than the index of
   * the point.
   */
  readonly #mainLine: Int32Array;
  readonly #inRegions = new Map<Region, Map<number, number>>();
  readonly #bounds = new Map<Region, Bounds>();
  #isTooDeep = false;

  constructor(graph: Graph, handlerTypes: KnownHandlerTypes) {
    this.#graph = graph;
    this.#handlerTypes = handlerTypes;
    this.#adjacency = adjacencyOf(graph);
    this.#handlers = usedHandlerTypes(graph, handlerTypes);
    this.#mainLine = new Int32Array(graph.nodes.size);
    this.#joins = joinPoints(graph, handlerTypes);
    this.#exitId = exitNodes(graph)[0]?.id ?? '';
    const { nodesWith, edgesWith } = attributeOwners(graph);
    this.#mayRestart = edgesWith('loop_restart').length > 0;
    this.#mayJump = nodesWith('retry_target').length > 0 || nodesWith('fallback_retry_target').length > 0;
  }

  /** Index of the place of a node in a region, added if it is new; undefined if control cannot be there. */
  enter(id: string, region?: Region): number | undefined {
    const number = this.#adjacency.numberOf.get(id);
    return number === undefined ? undefined : this.#enterNumber(number, region);
  }

  #enterNumber(number: number, region: Region | undefined): number | undefined {
    const node = this.#adjacency.nodes[number];
    const handler = this.#handlers[number];
    if (node === undefined || handler === undefined) return undefined;
    const found = this.#placeOf(number, region);
    if (found !== undefined) return found;
    const index = this.points.length;
    if (region === undefined) this.#mainLine[number] = index + 1;
    else this.#regionOf(region).set(number, index);
    this.points.push({ index, node, region, handler });
    return index;
  }

  #placeOf(number: number, region: Region | undefined): number | undefined {
    if (region !== undefined) return this.#regionOf(region).get(number);
    const point = this.#mainLine[number] ?? 0;
    return point === 0 ? undefined : point - 1;
  }

  /** Finds the steps from a point. */
  walk(index: number): void {
    const point = this.points[index];
    if (point === undefined) return;
    const { node, region, handler } = point;
    const steps: Step[] = [];
    const isExit = node.id === this.#exitId;
    const edges = isExit ? [] : outgoingEdges(this.#graph, node.id);
    this.#isEnd[index] = edges.length === 0;
    if (isExit) this.#addGoalGates(steps);
    else if (this.#joins.has(node.id)) this.#addBranches(steps, point);
    else {
      for (const edge of edges) {
        const restarts = this.#mayRestart && edgeAttribute(edge, 'loop_restart');
        // A branch cannot restart the pipeline (SEMANTICS 48a).
        if (!restarts || region === undefined) {
          this.#add(steps, index, edge.to, restarts ? 'restart' : 'edge', region);
        }
      }
    }
    if (this.#mayJump && !isExit && handler.type !== 'start') this.#addJumps(steps, point);
    this.#steps[index] = steps;
  }

  flow(isComplete: boolean): ControlFlow {
    const steps = this.#steps;
    const isEnd = this.#isEnd;
    const { points } = this;
    // Computed on demand: most graphs never need it.
    let placesOfNode: ReadonlyMap<string, readonly ProgramPoint[]> | undefined;
    return {
      points: points,
      joins: this.#joins,
      stepsFrom: (index) => steps[index] ?? nowhere,
      endsAt: (index) => isEnd[index] ?? false,
      placesOf(nodeId) {
        placesOfNode ??= byNode(points);
        return placesOfNode.get(nodeId) ?? [];
      },
      isComplete: isComplete && !this.#isTooDeep,
    };
  }

  #add(steps: Step[], from: number, id: string, by: Passage, region: Region | undefined): void {
    if (region !== undefined) {
      const { ends, inside } = this.#boundsOf(region);
      if (ends.has(id)) this.#isEnd[from] = true;
      // A branch that returns to an enclosing parallel node fails.
      if (ends.has(id) || inside.has(id)) return;
    }
    const to = this.enter(id, region);
    if (to !== undefined) steps.push({ to, by });
  }

  #addBranches(steps: Step[], { index, node, region }: ProgramPoint): void {
    const inner: Region = { parallelId: node.id, around: region };
    const { ends, inside } = this.#boundsOf(inner);
    if (inside.size > deepestNesting) this.#isTooDeep = true;
    const branches = this.#isTooDeep ? [] : outgoingEdges(this.#graph, node.id);
    for (const { to: id } of branches) {
      if (ends.has(id) || inside.has(id)) continue;
      const to = this.enter(id, inner);
      if (to !== undefined) steps.push({ to, by: 'branch' });
    }
    this.#add(steps, index, this.#joins.get(node.id) ?? this.#exitId, 'join', region);
  }

  #addGoalGates(steps: Step[]): void {
    for (const id of goalGateTargets(this.#graph)) this.#add(steps, 0, id, 'goal_gate', undefined);
  }

  /** Adds jumps: on the main line only to the first existing target; a branch may have to skip it. */
  #addJumps(steps: Step[], { index, node, region }: ProgramPoint): void {
    const jumps = failureJumps(this.#graph, node, this.#handlerTypes);
    const possible = region === undefined ? jumps.slice(0, 1) : jumps;
    for (const { nodeId } of possible) this.#add(steps, index, nodeId, 'jump', region);
  }

  #regionOf(region: Region): Map<number, number> {
    const cached = this.#inRegions.get(region);
    if (cached !== undefined) return cached;
    const indices = new Map<number, number>();
    this.#inRegions.set(region, indices);
    return indices;
  }

  #boundsOf(region: Region): Bounds {
    const cached = this.#bounds.get(region);
    if (cached !== undefined) return cached;
    const inside = new Set(parallelsAround(region));
    const joins = [...inside].flatMap((id) => this.#joins.get(id) ?? []);
    const bounds = { inside, ends: new Set([...joins, this.#exitId]) };
    this.#bounds.set(region, bounds);
    return bounds;
  }
}

/**
 * Nodes to which a goal gate that is not satisfied sends a run back from its end (§3.4, SEMANTICS 33).
 * @param mayBlock true if the gate may keep a run from ending
 */
export function goalGateTargets(
  graph: Graph,
  mayBlock: (gate: Node) => boolean = () => true,
): ReadonlySet<string> {
  const exitId = exitNodes(graph)[0]?.id ?? '';
  const ofGraph = jumpTargets(
    graphAttribute(graph, 'retry_target'),
    graphAttribute(graph, 'fallback_retry_target'),
  );
  const targets = new Set<string>();
  for (const gate of attributeOwners(graph).nodesWith('goal_gate')) {
    if (!nodeAttribute(gate, 'goal_gate') || !mayBlock(gate)) continue;
    const own = usableJumpTargets(graph, gate, exitId);
    for (const { nodeId } of own.length > 0 ? own.slice(0, 1) : ofGraph) {
      if (nodeId !== exitId && graph.nodes.has(nodeId)) targets.add(nodeId);
    }
  }
  return targets;
}

function byNode(points: readonly ProgramPoint[]): ReadonlyMap<string, readonly ProgramPoint[]> {
  const pointsByNode = new Map<string, ProgramPoint[]>();
  for (const point of points) {
    const others = pointsByNode.get(point.node.id);
    if (others === undefined) pointsByNode.set(point.node.id, [point]);
    else others.push(point);
  }
  return pointsByNode;
}
