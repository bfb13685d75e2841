import { type FailureStep, failureSteps } from '../../graph/failure-steps.js';
import type { JumpTarget } from '../../graph/flow/jump-targets.js';
import type { Edge, Graph, Node } from '../../graph/graph.js';
import type { HandlerType } from '../../graph/handler-types.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { normalizeLabel } from '../../graph/labels.js';
import { perGraph } from '../../graph/per-graph.js';
import type { ProgramEdge, ProgramNode } from '../../graph/program.js';
import { exitNodes, handlerTypeOf, outgoingEdges } from '../../graph/queries.js';
import type { RetryPolicy } from '../../graph/retry-policy.js';
import { precedence, selectUnconditional } from '../../graph/select-edge.js';
import type { StageStatus } from '../../graph/stage-status.js';
import { alwaysFailsItself } from '../../graph/values/own-rules.js';
import { allOf, negated } from './formula.js';
import { isNever } from './is-never.js';
import { routingNode, type StageEdges, stageEdges } from './stage-edges.js';
import { possibleStatuses } from './stage-outcomes.js';

/** Routes from a node. */
export interface Routes {
  readonly nodeId: string;
  readonly handler: HandlerType;
  /** Policy for further attempts before a failure, or a request for a retry, counts. */
  readonly retry: RetryPolicy;
  /** Outcome when all attempts are used up. */
  readonly exhausted: 'fail' | 'partial_success';
  /** Edges into the branches of a parallel node. */
  readonly branches: readonly Edge[];
  /** Routes for each outcome that the node can route on. */
  readonly outcomes: readonly OutcomeRoutes[];
}

export interface OutcomeRoutes {
  readonly outcome: StageStatus;
  /**
   * Routes in the order in which they are tried; the first that applies is taken, and the last one always
   * applies.
   */
  readonly routes: readonly Route[];
}

export type Route =
  /** Along an edge whose condition may hold; `always` if it certainly holds at that point. */
  | { readonly kind: 'condition'; readonly edge: Edge; readonly always: boolean }
  /** Along one of the edges without a condition. */
  | { readonly kind: 'plain'; readonly edge: Edge; readonly by: PlainReason }
  /** Along a plain edge into a diamond, which routes on the failure. */
  | { readonly kind: 'failure_to_conditional'; readonly edge: Edge; readonly by: PlainReason }
  /** To a retry target; not if the same failure would only recur. */
  | { readonly kind: 'jump'; readonly target: JumpTarget }
  /** To the join of a parallel node. */
  | { readonly kind: 'join'; readonly to: string }
  /** The run ends here, if the goal gates hold. */
  | { readonly kind: 'end' }
  /** The run fails: with the reason of the stage, or because no edge can be taken. */
  | { readonly kind: 'fail'; readonly failure: 'stage' | 'routing' };

/**
 * Reason for a plain edge: the outcome prefers its label, or names its target; or else its weight and name.
 */
export type PlainReason = 'preferred_label' | 'suggested_next_ids' | 'weight';

/**
 * Routes from a node on each outcome, with the conditions that are still to be decided (§3.3, §3.7,
 * SEMANTICS 18–22, 80): for `explain`. It uses the engine's own code; routes that no run takes are left
 * out. Undefined if the graph has no such node.
 */
export function routesOf(graph: Graph, nodeId: string, handlerTypes: KnownHandlerTypes): Routes | undefined {
  const node = routingNode(graph, nodeId, handlerTypes);
  if (node === undefined) return undefined;
  const finder = new RouteFinder(graph, node, handlerTypes);
  return {
    nodeId,
    handler: node.handler,
    retry: node.retry,
    exhausted: node.allowPartial ? 'partial_success' : 'fail',
    branches: node.handler.forks ? outgoingEdges(graph, nodeId) : [],
    outcomes: possibleStatuses(node).map((outcome) => ({ outcome, routes: finder.routesOn(outcome) })),
  };
}

const failureRoutesByNode = perGraph(() => new Map<string, readonly Route[]>());

/** Routes of a node's failure, as in `routesOf`: for the rules that judge failures, computed once. */
export function failureRoutes(
  graph: Graph,
  nodeId: string,
  handlerTypes: KnownHandlerTypes,
): readonly Route[] {
  const known = failureRoutesByNode(graph, handlerTypes);
  const before = known.get(nodeId);
  if (before !== undefined) return before;
  const node = routingNode(graph, nodeId, handlerTypes);
  const routes = node === undefined ? [] : new RouteFinder(graph, node, handlerTypes).routesOn('fail');
  known.set(nodeId, routes);
  return routes;
}

/**
 * Retry targets that the failure of a node may jump to, in the order in which they are tried; most nodes
 * have none.
 */
export function failureJumps(
  graph: Graph,
  node: Node,
  handlerTypes: KnownHandlerTypes,
): readonly JumpTarget[] {
  const { attributes } = node;
  if (!attributes.has('retry_target') && !attributes.has('fallback_retry_target')) return none;
  return failureRoutes(graph, node.id, handlerTypes).flatMap((route) =>
    route.kind === 'jump' ? [route.target] : none,
  );
}

const none: readonly JumpTarget[] = [];

class RouteFinder {
  readonly #graph: Graph;
  readonly #node: ProgramNode;
  /** Undefined for a node without conditions, and for one with unreadable conditions. */
  readonly #stage: StageEdges | undefined;
  readonly #handlerTypes: KnownHandlerTypes;
  readonly #exitId: string | undefined;

  constructor(graph: Graph, node: ProgramNode, handlerTypes: KnownHandlerTypes) {
    this.#graph = graph;
    this.#node = node;
    this.#stage = stageEdges(graph, handlerTypes).get(node.id);
    this.#handlerTypes = handlerTypes;
    this.#exitId = exitNodes(graph)[0]?.id;
  }

  routesOn(outcome: StageStatus): readonly Route[] {
    const node = this.#node;
    if (node.id === this.#exitId)
      return [outcome === 'fail' ? { kind: 'fail', failure: 'stage' } : { kind: 'end' }];
    if (outcome === 'fail') return upToCertain(this.#onFailure());
    if (node.parallel !== undefined) return [{ kind: 'join', to: node.parallel.joinId }];
    return upToCertain(this.#ordinary(outcome));
  }

  #onFailure(): readonly Route[] {
    const routes: Route[] = [];
    for (const step of this.#failureSteps()) {
      switch (step.kind) {
        case 'condition':
          routes.push(...this.#conditional('fail'));
          break;
        case 'jump':
          routes.push(...this.#jumps(step.targets));
          break;
        case 'into_conditional':
          routes.push(...this.#plain('failure_to_conditional', step.edges));
          break;
        case 'ordinary':
          routes.push(...this.#ordinary('fail'));
          break;
        case 'join':
          routes.push({ kind: 'join', to: step.to });
          break;
      }
    }
    return [...routes, { kind: 'fail', failure: 'stage' }];
  }

  /** A diamond passes a failure on, unless it fails itself; one with a `fail_when` may do either. */
  #failureSteps(): readonly FailureStep[] {
    const node = this.#node;
    const stepsIf = (isInherited: boolean): readonly FailureStep[] =>
      failureSteps(node, (id) => this.#handlerOf(id), isInherited);
    const own = node.ownRules?.failWhen === undefined ? [] : stepsIf(false);
    const isPassing = node.handler.inheritsOutcome && !alwaysFailsItself(node.ownRules);
    return own.length === 0 || isPassing ? [...own, ...stepsIf(node.handler.inheritsOutcome)] : own;
  }

  #ordinary(outcome: StageStatus): readonly Route[] {
    const { edges } = this.#node;
    if (edges.length === 0 && outcome !== 'fail') return [{ kind: 'end' }];
    return [
      ...this.#conditional(outcome),
      ...this.#plain('plain', edges.filter(isPlain)),
      { kind: 'fail', failure: outcome === 'fail' ? 'stage' : 'routing' },
    ];
  }

  #conditional(outcome: StageStatus): readonly Route[] {
    const set = this.#stage?.conditions;
    if (this.#stage === undefined || set === undefined) return this.#undecided();
    const outcomes = new Set([outcome]);
    return this.#stage.conditional.flatMap((edge, index): readonly Route[] => {
      const [source, own] = [this.#edge(edge), set.formulas[index]];
      if (source === undefined || own === undefined) return [];
      const before = set.formulas.slice(0, index).map(negated);
      if (isNever(set, allOf([own, ...before]), outcomes)) return [];
      const always = isNever(set, allOf([negated(own), ...before]), outcomes);
      return [{ kind: 'condition', edge: source, always }];
    });
  }

  /** Routes for conditions that are too many, or of which one is unreadable: each of them may hold. */
  #undecided(): readonly Route[] {
    const conditional = this.#node.edges.filter((edge) => !isPlain(edge)).sort(precedence);
    return conditional.flatMap((edge) => {
      const source = this.#edge(edge);
      return source === undefined ? [] : [{ kind: 'condition', edge: source, always: false }];
    });
  }

  /** Edges that a label or a suggestion can choose, and the default one. */
  #plain(kind: 'plain' | 'failure_to_conditional', edges: readonly ProgramEdge[]): readonly Route[] {
    const routes = (by: PlainReason, chosen: readonly ProgramEdge[]): readonly Route[] =>
      chosen.flatMap((edge) => {
        const source = this.#edge(edge);
        return source === undefined ? [] : [{ kind, edge: source, by }];
      });
    const otherwise = selectUnconditional(edges, {})?.edge;
    if (otherwise === undefined) return [];
    const last = routes('weight', [otherwise]);
    if (edges.length === 1) return last;
    const labelled = firstOfEach(
      edges.filter(({ label }) => normalizeLabel(label) !== ''),
      ({ label }) => normalizeLabel(label),
    );
    const targets = firstOfEach(edges, ({ to }) => to);
    return [...routes('preferred_label', labelled), ...routes('suggested_next_ids', targets), ...last];
  }

  #jumps(targets: readonly JumpTarget[]): readonly Route[] {
    const usable = targets.filter(({ nodeId }) => nodeId !== this.#exitId && this.#graph.nodes.has(nodeId));
    return usable.map((target): Route => ({ kind: 'jump', target }));
  }

  #edge({ index }: ProgramEdge): Edge | undefined {
    return this.#graph.edges[index];
  }

  #handlerOf(nodeId: string): HandlerType | undefined {
    const node = this.#graph.nodes.get(nodeId);
    return node && handlerTypeOf(this.#graph, node, this.#handlerTypes);
  }
}

function isPlain({ condition, conditionText }: ProgramEdge): boolean {
  return condition === undefined && conditionText === '';
}

function firstOfEach(edges: readonly ProgramEdge[], keyOf: (edge: ProgramEdge) => string): ProgramEdge[] {
  const first = new Map<string, ProgramEdge>();
  for (const edge of edges) if (!first.has(keyOf(edge))) first.set(keyOf(edge), edge);
  return [...first.values()];
}

/** Routes up to the first that always applies, without repetitions. */
function upToCertain(routes: readonly Route[]): readonly Route[] {
  const end = routes.findIndex((route) => isCertain(route));
  const tried = end === -1 ? routes : routes.slice(0, end + 1);
  const seen = new Set<string>();
  return tried.filter((route) => {
    const by = 'by' in route ? route.by : '';
    const name = 'edge' in route ? `${route.kind} ${by} ${route.edge.index}` : JSON.stringify(route);
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

function isCertain(route: Route): boolean {
  switch (route.kind) {
    case 'condition':
      return route.always;
    case 'plain':
    case 'failure_to_conditional':
      return route.by === 'weight';
    case 'join':
    case 'end':
    case 'fail':
      return true;
    case 'jump':
      return false;
  }
}
