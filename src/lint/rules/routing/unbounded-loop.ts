import { excerpt } from '../../../diagnostic/excerpt.js';
import { edgeAttribute, nodeAttribute } from '../../../graph/attributes.js';
import { type Adjacency, adjacencyOf } from '../../../graph/flow/adjacency.js';
import { cyclicGroups, shortestCycle } from '../../../graph/flow/cycles.js';
import { joinPoints } from '../../../graph/flow/join-points.js';
import type { Edge, Graph, Node } from '../../../graph/graph.js';
import type { HandlerType } from '../../../graph/handler-types.js';
import type { KnownHandlerTypes } from '../../../graph/known-handler-types.js';
import {
  conditionOf,
  exitNodes,
  nodesHandledBy,
  outgoingEdges,
  startNodes,
  usedHandlerTypes,
} from '../../../graph/queries.js';
import { controlFlow } from '../../analysis/control-flow.js';
import { comparesCount, countsRounds } from '../../analysis/counters.js';
import { expectedNodes } from '../../analysis/expected-flow.js';
import { attributeOwners } from '../../attribute-owners.js';
import { expectedRoutes } from '../../conditions/expected-routes.js';
import { failureJumps } from '../../conditions/routes-of.js';
import { flowSearch } from '../../flow/flow-search.js';
import { type Proof, proofOf } from '../../flow/proof.js';
import { listNames } from '../../list-names.js';
import { handlersInDoubt, type Misspelt, misspelt } from '../../misspelt.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/**
 * SEMANTICS 34: only the limit of the whole run ends a loop of LLM stages without a person and without a
 * limit of its own.
 */
export const unboundedLoop: LintRule = {
  name: 'unbounded_loop',
  severity: 'warning',
  summary: 'A loop with LLM stages is bounded, by `max_visits` or by a person.',
  rationale:
    'A loop that makes no progress continues until the run has executed `max_steps` stages, 1000 by default, and each of them may cost money. The loop may consist of edges, or be closed by a `retry_target`. Set `max_visits` on a stage of the loop to a sensible number of iterations; beyond it, the run fails and says so. A human gate in the loop, a command that counts iterations, a condition on such a count, and a `max_steps` or `timeout` of the graph also bound it. A stage that only goes back to itself after a failure is reported as an info: use `max_retries` there.',
  provesAbsence: true,
  followsFlow: true,
  *apply(graph, context) {
    const { graphMeans } = misspelt(graph);
    if (['max_steps', 'timeout'].some((name) => graph.attributes.has(name) || graphMeans(name))) return;
    if (graphMeans('max_visits')) return;
    const loops = new Loops(graph, context);
    const alone: Node[] = [];
    for (const group of loops.groups()) {
      const [first] = group.filter((member) => member.isLlm && loops.isReached(member.node));
      if (first === undefined) continue;
      const { node } = first;
      const round = loops.roundIn(group, node.id);
      if (round === undefined) continue;
      if (group.length === 1 && !loops.hasEdge(node.id, node.id)) alone.push(node);
      else yield { ...unbounded(round.node, loops.describeLoop(round.nodeIds)), ...round.proof };
    }
    const [first, ...others] = alone.sort((one, other) => one.span.start - other.span.start);
    if (first !== undefined) yield goingBackToItself(first, others);
  },
};

function unbounded(node: Node, path: string): Finding {
  return {
    message: `the loop ${path} may run until \`max_steps\` ends the run: none of its stages has \`max_visits\` or asks a person`,
    span: node.span,
    nodeId: node.id,
    fix: { title: 'add `max_visits` to a stage of the loop', edits: [] },
  };
}

/** One hint for all of them: most stages of a pipeline are written alike. */
function goingBackToItself(first: Node, others: readonly Node[]): Finding {
  const target = first.attributes.get('retry_target') ?? first.attributes.get('fallback_retry_target');
  const names = listNames([first, ...others].map(({ id }) => id));
  const isOne = others.length === 0;
  return {
    severity: 'info',
    message: `${names} ${isOne ? 'goes back to itself' : 'go back to themselves'} by a retry target after every failure, until \`max_steps\` ends the run`,
    span: target?.origin === 'explicit' ? target.valueSpan : first.span,
    nodeId: first.id,
    fix: {
      title: 'set `max_retries` to retry, or bound it with `max_visits`',
      edits: [],
    },
  };
}

interface Round {
  /** LLM stage of the loop. */
  readonly node: Node;
  readonly nodeIds: readonly string[];
  readonly proof: Proof;
}

interface Member {
  readonly node: Node;
  readonly number: number;
  readonly isLlm: boolean;
}

const longestWayShown = 6;

/** Steps that no person and no limit of a node bounds. */
class Loops {
  readonly #graph: Graph;
  readonly #handlerTypes: KnownHandlerTypes;
  readonly #adjacency: Adjacency;
  readonly #misspelt: Misspelt;
  readonly #handlers: readonly HandlerType[];
  /** 1 for unbounded nodes, by the number of the node. */
  readonly #isMember: Uint8Array;
  readonly #successors = new Map<string, readonly string[]>();

  constructor(graph: Graph, { handlerTypes }: LintContext) {
    this.#graph = graph;
    this.#handlerTypes = handlerTypes;
    this.#adjacency = adjacencyOf(graph);
    this.#misspelt = misspelt(graph);
    this.#handlers = usedHandlerTypes(graph, handlerTypes);
    this.#isMember = new Uint8Array(graph.nodes.size).fill(1);
    const countsItself = (node: Node) => countsRounds(nodeAttribute(node, 'tool_command'));
    const bounded = [
      // Edges to the start, and from the exit, have their own findings.
      ...startNodes(graph),
      ...exitNodes(graph),
      ...attributeOwners(graph).nodesWith('max_visits'),
      ...this.#misspelt.nodesMeaning('max_visits'),
      // They may be meant to ask a person.
      ...handlersInDoubt(graph, handlerTypes),
      ...nodesHandledBy(graph, handlerTypes, ({ type }) => type === 'wait.human'),
      ...nodesHandledBy(graph, handlerTypes, ({ type }) => type === 'tool').filter(countsItself),
    ];
    for (const { id } of bounded) this.#isMember[this.#adjacency.numberOf.get(id) ?? -1] = 0;
  }

  /** `reachability` reports a stage that no run reaches. */
  isReached({ id }: Node): boolean {
    const { points, isComplete } = controlFlow(this.#graph, this.#handlerTypes);
    return points.length === 0 || !isComplete || expectedNodes(this.#graph, this.#handlerTypes).has(id);
  }

  #memberOf(id: string): Member | undefined {
    const number = this.#adjacency.numberOf.get(id) ?? -1;
    const node = this.#adjacency.nodes[number];
    if (node === undefined || this.#isMember[number] !== 1) return undefined;
    return { node, number, isLlm: this.#handlers[number]?.llm === true };
  }

  groups(): readonly (readonly Member[])[] {
    if (!this.#leadsBack()) return [];
    const { nodes } = this.#adjacency;
    const members = nodes.filter((_, number) => this.#isMember[number] === 1).map(({ id }) => id);
    const groups = cyclicGroups(members, (id) => this.#successorsOf(id));
    return groups.map((group) =>
      group.flatMap((id) => this.#memberOf(id) ?? []).sort((one, other) => one.number - other.number),
    );
  }

  /** True if an edge leads back in the order of the text: otherwise there is no loop. */
  #leadsBack(): boolean {
    const { sources, targets } = this.#adjacency;
    const isMember = this.#isMember;
    const edgeLeadsBack = (edge: Edge, index: number): boolean => {
      const [from, to] = [sources[index] ?? -1, targets[index] ?? -1];
      return to <= from && isMember[from] === 1 && isMember[to] === 1 && !this.#isBounded(edge);
    };
    if (this.#graph.edges.some(edgeLeadsBack)) return true;
    const { nodesWith } = attributeOwners(this.#graph);
    return nodesWith('retry_target').length > 0 || nodesWith('fallback_retry_target').length > 0;
  }

  /** The way once round a loop of these members, as a run goes it; undefined if no run goes round. */
  roundIn(members: readonly Member[], start: string): Round | undefined {
    const group = new Set(members.map(({ node }) => node.id));
    const stages = members.filter(({ isLlm }) => isLlm).map(({ node }) => node.id);
    const through = [start, ...stages.filter((id) => id !== start)];
    const answer = flowSearch(this.#graph, this.#handlerTypes)?.goingRound(group, through);
    const proof = proofOf(answer);
    if (proof === undefined) return undefined;
    // A stage that also goes back to itself may be in a longer loop: that one is shown.
    const next = (id: string) => this.#successorsOf(id).filter((to) => to !== id || group.size === 1);
    const nodeIds = answer?.kind === 'found' ? answer.nodeIds : shortestCycle(start, group, next);
    const node = this.#graph.nodes.get(nodeIds[0] ?? start);
    return node && { node, nodeIds, proof };
  }

  /** Path of a loop, `"a" -> "b" -> "a"`, with the attribute of a jump after its target. */
  describeLoop(path: readonly string[]): string {
    const steps = path.map((id, index) => {
      const from = path[index - 1];
      return from === undefined || this.hasEdge(from, id) || this.#joinOf(from) === id
        ? excerpt(id)
        : `${excerpt(id)} (by a retry target)`;
    });
    if (steps.length <= longestWayShown) return steps.join(' -> ');
    return [...steps.slice(0, longestWayShown - 2), '…', steps.at(-1)].join(' -> ');
  }

  /** Node at which the branches of a parallel node meet. */
  #joinOf(id: string): string | undefined {
    return joinPoints(this.#graph, this.#handlerTypes).get(id);
  }

  hasEdge(from: string, to: string): boolean {
    return outgoingEdges(this.#graph, from).some((edge) => edge.to === to);
  }

  #successorsOf(id: string): readonly string[] {
    const existing = this.#successors.get(id);
    if (existing !== undefined) return existing;
    const successors = this.#findSuccessors(id).filter((to) => this.#memberOf(to) !== undefined);
    this.#successors.set(id, successors);
    return successors;
  }

  #findSuccessors(id: string): readonly string[] {
    const node = this.#graph.nodes.get(id);
    if (node === undefined) return [];
    const edges = outgoingEdges(this.#graph, id);
    const { isTaken } = expectedRoutes(this.#graph, this.#handlerTypes);
    const next = edges.filter((edge) => isTaken(edge) && !this.#isBounded(edge)).map(({ to }) => to);
    return [...next, ...this.#jumpsOf(node)];
  }

  /** Jumps of a node; a branch skips a retry target outside of it, and a diamond that no failure reaches makes none. */
  #jumpsOf(node: Node): readonly string[] {
    const [jump] = failureJumps(this.#graph, node, this.#handlerTypes);
    if (jump === undefined || !expectedRoutes(this.#graph, this.#handlerTypes).mayFail(node.id)) return [];
    const flow = controlFlow(this.#graph, this.#handlerTypes);
    const points = flow.placesOf(node.id);
    if (points.every(({ region }) => region === undefined)) return [jump.nodeId];
    const steps = points.flatMap(({ index }) => flow.stepsFrom(index));
    return steps.flatMap(({ to, by }) => (by === 'jump' ? (flow.points[to]?.node.id ?? []) : []));
  }

  /**
   * True for a restart, which `max_restarts` bounds, and for a comparison of a count, which bounds the
   * rounds.
   */
  #isBounded(edge: Edge): boolean {
    if (edgeAttribute(edge, 'loop_restart') || this.#misspelt.edgeMeans(edge, 'loop_restart')) return true;
    const { condition } = conditionOf(edge);
    return condition !== undefined && comparesCount(condition);
  }
}
