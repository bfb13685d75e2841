import type { Condition } from '../parser/condition/ast.js';
import { edgeAttribute, graphAttribute, nodeAttribute } from './attributes.js';
import type { BudgetLimit } from './budget-limit.js';
import { keysOf } from './evaluate-condition.js';
import { joinPoints } from './flow/join-points.js';
import { type JumpTarget, jumpTargets } from './flow/jump-targets.js';
import type { Duration, Edge, Graph, Node } from './graph.js';
import type { HandlerType } from './handler-types.js';
import type { KnownHandlerTypes } from './known-handler-types.js';
import { type Parallel, parallelOf } from './parallel.js';
import { type Monitor, monitorOf, type NamedProperty } from './properties/monitor.js';
import { propertiesOf } from './properties/written-properties.js';
import { conditionOf, exitNodes, handlerTypeOf, outgoingEdges, startNodes } from './queries.js';
import { type RetryPolicy, retryPolicyOf } from './retry-policy.js';
import { type ClearedKeys, clearedKeys } from './values/cleared-keys.js';
import { type OwnRules, ownRulesOf } from './values/own-rules.js';
import { stagesRead } from './values/stages-read.js';

/**
 * Graph prepared for a run: handlers resolved, conditions parsed, edges indexed, policies computed. The
 * machine sees programs only, so that no text of the author is interpreted in the middle of a run.
 */
export interface Program {
  readonly graph: Graph;
  readonly nodes: ReadonlyMap<string, ProgramNode>;
  readonly startId: string;
  readonly exitId: string;
  readonly limits: ProgramLimits;
  /** True if a goal gate that was never visited blocks the exit (SEMANTICS 32). */
  readonly requireGoalGates: boolean;
  readonly goalGates: readonly ProgramNode[];
  /** Jump targets of the graph for goal gates, in the order to be tried (§3.4). */
  readonly goalGateTargets: readonly JumpTarget[];
  /** Nodes that something reads by their names (SEMANTICS 104). */
  readonly stagesRead: ReadonlySet<string>;
  /** Properties that a run must not break: those of the pipeline, then those of its surroundings (SEMANTICS 144). */
  readonly monitors: readonly Monitor[];
}

/** Limits against endless runs (SEMANTICS 34). */
export interface ProgramLimits {
  readonly maxSteps: number;
  readonly maxGoalGateRedirects: number;
  /** Maximum of restarts by `loop_restart` (SEMANTICS 36). */
  readonly maxRestarts: number;
  /** Maximum of working time for the run. */
  readonly timeout: Duration | undefined;
  /** Budget of the whole run in US dollars; `budgetTokens` in tokens (SEMANTICS §12, 126). */
  readonly budgetUsd: BudgetLimit | undefined;
  readonly budgetTokens: number | undefined;
}

export interface ProgramNode {
  readonly id: string;
  readonly node: Node;
  readonly label: string;
  /** The context key of its retry counter (§5.1). */
  readonly retryCountKey: string;
  readonly handler: HandlerType;
  /** Outgoing edges in the order of the text. */
  readonly edges: readonly ProgramEdge[];
  /** Context keys that its visits remove. */
  readonly clears: ClearedKeys;
  /** Undefined for nearly all nodes. */
  readonly ownRules: OwnRules | undefined;
  /** True if the condition of an edge reads more than the outcome. */
  readonly routesByValues: boolean;
  readonly retry: RetryPolicy;
  readonly goalGate: boolean;
  readonly allowPartial: boolean;
  readonly maxVisits: number | undefined;
  readonly continuesOnFailure: boolean;
  readonly idempotent: boolean;
  /** Branches of a parallel node and their join. */
  readonly parallel: Parallel | undefined;
  /** Maximum time of one attempt, if the engine enforces it (SEMANTICS 30). */
  readonly timeout: Duration | undefined;
  /** Budget of one visit in US dollars; `budgetTokens` in tokens (SEMANTICS §12). */
  readonly budgetUsd: number | undefined;
  readonly budgetTokens: number | undefined;
  /** `retry_target`, then `fallback_retry_target`, those of them that are set (§3.7). */
  readonly jumpTargets: readonly JumpTarget[];
}

export interface ProgramEdge {
  readonly index: number;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly weight: number;
  readonly condition: Condition | undefined;
  /** The condition as the author wrote it, for messages and events. */
  readonly conditionText: string;
  readonly loopRestart: boolean;
}

/**
 * Builds the program of a graph without lint errors.
 * @param imposed properties besides those of the graph itself
 * @throws Error on a graph without exactly one start and one exit: a bug of the caller
 */
export function buildProgram(
  graph: Graph,
  handlerTypes: KnownHandlerTypes,
  imposed: readonly NamedProperty[] = [],
): Program {
  const start = startNodes(graph)[0];
  const exit = exitNodes(graph)[0];
  if (start === undefined || exit === undefined) throw new Error('a program needs a start and an exit node');
  const handlers = new Map<string, HandlerType>();
  for (const node of graph.nodes.values()) handlers.set(node.id, handlerTypeOf(graph, node, handlerTypes));
  const joins = joinPoints(graph, handlerTypes);
  const nodes = new Map<string, ProgramNode>();
  for (const [id, handler] of handlers) {
    const node = graph.nodes.get(id) as Node;
    const parallel = handler.forks ? parallelOf(graph, node, joins.get(id) ?? exit.id, exit.id) : undefined;
    nodes.set(id, programNode(graph, node, handler, parallel));
  }
  const properties = [...propertiesOf(graph), ...imposed];
  const set = { nodes, startId: start.id, exitId: exit.id };
  return {
    graph,
    nodes,
    startId: start.id,
    exitId: exit.id,
    limits: {
      maxSteps: graphAttribute(graph, 'max_steps'),
      maxGoalGateRedirects: graphAttribute(graph, 'max_goal_gate_redirects'),
      maxRestarts: graphAttribute(graph, 'max_restarts'),
      timeout: graphAttribute(graph, 'timeout'),
      budgetUsd: graphAttribute(graph, 'budget_usd'),
      budgetTokens: graphAttribute(graph, 'budget_tokens'),
    },
    requireGoalGates: graphAttribute(graph, 'require_goal_gates'),
    goalGates: [...nodes.values()].filter((node) => node.goalGate),
    goalGateTargets: jumpTargets(
      graphAttribute(graph, 'retry_target'),
      graphAttribute(graph, 'fallback_retry_target'),
    ),
    stagesRead: stagesRead(graph),
    monitors: properties.map((one) => monitorOf(one, set)),
  };
}

/** Program that is held to more properties; those that it has already are left out. */
export function heldTo(program: Program, more: readonly NamedProperty[]): Program {
  const isNew = ({ name, origin, text }: NamedProperty): boolean =>
    program.monitors.every((one) => one.name !== name || one.origin !== origin || one.text !== text);
  const added = more.filter(isNew).map((one) => monitorOf(one, program));
  return added.length === 0 ? program : { ...program, monitors: [...program.monitors, ...added] };
}

/** Node prepared for a run; for programs, and for callers that ask how control would leave it. */
export function programNode(
  graph: Graph,
  node: Node,
  handler: HandlerType,
  parallel: Parallel | undefined,
): ProgramNode {
  const edges = outgoingEdges(graph, node.id).map(programEdge);
  const onFailure = nodeAttribute(node, 'on_failure') ?? graphAttribute(graph, 'on_failure');
  return {
    id: node.id,
    node,
    label: nodeAttribute(node, 'label') || node.id,
    retryCountKey: `internal.retry_count.${node.id}`,
    handler,
    edges,
    clears: clearedKeys(node, handler),
    ownRules: ownRulesOf(node, handler),
    routesByValues: parallel === undefined && edges.some(readsValues),
    retry: retryPolicyOf(graph, node, handler.retriesFailure),
    goalGate: nodeAttribute(node, 'goal_gate'),
    allowPartial: nodeAttribute(node, 'allow_partial'),
    maxVisits: nodeAttribute(node, 'max_visits'),
    continuesOnFailure: onFailure === 'continue',
    idempotent: nodeAttribute(node, 'idempotent'),
    parallel,
    timeout: handler.ownsTimeout ? undefined : nodeAttribute(node, 'timeout'),
    budgetUsd: nodeAttribute(node, 'budget_usd'),
    budgetTokens: nodeAttribute(node, 'budget_tokens'),
    jumpTargets: jumpTargets(
      nodeAttribute(node, 'retry_target'),
      nodeAttribute(node, 'fallback_retry_target'),
    ),
  };
}

function readsValues({ condition }: ProgramEdge): boolean {
  return condition !== undefined && readsMore(condition);
}

function readsMore(condition: Condition): boolean {
  switch (condition.kind) {
    case 'or':
    case 'and':
      return condition.operands.some(readsMore);
    case 'not':
      return readsMore(condition.operand);
    default:
      return keysOf(condition).some(({ path }) => path !== 'outcome' && path !== 'preferred_label');
  }
}

function programEdge(edge: Edge): ProgramEdge {
  return {
    index: edge.index,
    from: edge.from,
    to: edge.to,
    label: edgeAttribute(edge, 'label'),
    weight: edgeAttribute(edge, 'weight'),
    condition: conditionOf(edge).condition,
    conditionText: edgeAttribute(edge, 'condition').trim(),
    loopRestart: edgeAttribute(edge, 'loop_restart'),
  };
}
