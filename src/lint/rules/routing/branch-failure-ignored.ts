import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import type { Graph, Node } from '../../../graph/graph.js';
import type { KnownHandlerTypes } from '../../../graph/known-handler-types.js';
import { conditionOf, exitNodes, nodesHandledBy, outgoingEdges } from '../../../graph/queries.js';
import { contextReads } from '../../analysis/context-reads.js';
import { type ControlFlow, controlFlow, type ProgramPoint } from '../../analysis/control-flow.js';
import { hardlyFails } from '../../analysis/hardly-fails.js';
import { failureRoutes } from '../../conditions/routes-of.js';
import { expectedOutcomes } from '../../conditions/stage-outcomes.js';
import type { Departure } from '../../flow/departure.js';
import { parallelsOf } from '../../flow/flow-forks.js';
import { type FlowSearch, flowSearch } from '../../flow/flow-search.js';
import type { FlowState } from '../../flow/flow-state.js';
import { type Proof, proofOf } from '../../flow/proof.js';
import { listNames } from '../../list-names.js';
import { handlersInDoubt } from '../../misspelt.js';
import { routingInDoubt } from '../../routing-in-doubt.js';
import type { Finding, LintRule } from '../../rule.js';

/**
 * SEMANTICS 108: after `partial_success` of a parallel node the run continues, whichever of its branches
 * failed.
 */
export const branchFailureIgnored: LintRule = {
  name: 'branch_failure_ignored',
  severity: 'warning',
  fixable: true,
  summary: 'The run does not continue as if nothing had happened when a branch failed.',
  rationale:
    'With `join_policy=wait_all`, the default, a parallel node with failed branches ends as `partial_success`, even if all of them failed, and the run continues at the join: the tests fail in one branch, but the next stage deploys. Set `join_policy=quorum, join_quorum=1` on the parallel node: it then fails unless every branch succeeds. Or make the join a diamond with conditions on `outcome`, route on `parallel.fail_count`, pass `${parallel.results}` to the next stage, or ask a person. An edge from a branch to the exit, such as the "No" of a gate, only ends that branch, with the outcome of its last stage. A fan-in chooses the best of several attempts by models, so failures of models before a fan-in are not reported; failures of commands are. A `join_policy` other than `wait_all`, `error_policy=fail_fast` and `error_policy=ignore` also say how a failure is handled.',
  provesAbsence: true,
  followsFlow: true,
  *apply(graph, { handlerTypes }) {
    const parallels = nodesHandledBy(graph, handlerTypes, ({ forks }) => forks);
    if (parallels.length === 0 || handlersInDoubt(graph, handlerTypes).size > 0) return;
    const flow = controlFlow(graph, handlerTypes);
    if (!flow.isComplete) return;
    const heeding = heedingNodes(graph);
    for (const node of parallels) {
      const next = flow.placesOf(node.id).flatMap((point) => unheededWork(graph, flow, point, heeding));
      const [first] = next;
      if (first === undefined) continue;
      const search = flowSearch(graph, handlerTypes);
      yield* exitsFrom(graph, flow, node, first.node, search);
      if (!isOpen(node)) continue;
      const failing = failingIn(graph, flow, node, handlerTypes, first.isAfterFanIn);
      const fails = (departure: Departure): boolean => departure.route.kind === 'fail';
      const answers = failing.map((stage) => ({
        stage,
        proof: continuing(search, node, stage.id, fails, first.node),
      }));
      const possible = answers.filter(({ proof }) => proof !== undefined);
      const proved = possible.filter(({ proof }) => proof?.witness !== undefined);
      const shown = proved.length > 0 ? proved : possible;
      if (shown.length > 0)
        yield {
          ...finding(
            node,
            shown.map(({ stage }) => stage),
            first.node,
          ),
          ...shown[0]?.proof,
        };
    }
  },
};

/** Proof that a run passes a departure in a branch, and then continues with a stage after the branches; undefined if none does. */
function continuing(
  search: FlowSearch | undefined,
  { id: parallelId }: Node,
  nodeId: string,
  isWanted: (departure: Departure) => boolean,
  next: Node,
): Proof | undefined {
  const inBranch = ({ line }: Departure): boolean =>
    line.split('/').some((one) => one.startsWith(`${parallelId}#`));
  const continues = ({ part, ownStatus }: Departure): boolean => part === 'joins' && ownStatus !== 'fail';
  const milestones = [
    { nodeId, isWanted: (departure: Departure) => inBranch(departure) && isWanted(departure) },
    { nodeId: parallelId, isWanted: continues },
  ];
  const isAfter = ({ branch }: FlowState): boolean => !parallelsOf(branch).has(parallelId);
  return proofOf(search?.passing(milestones, next.id, isAfter));
}

/** True if the policies of a parallel node let a failed branch pass. */
function isOpen(node: Node): boolean {
  const policy = nodeAttribute(node, 'error_policy');
  return nodeAttribute(node, 'join_policy') === 'wait_all' && policy !== 'fail_fast' && policy !== 'ignore';
}

/** Nodes that receive the results of the branches, or whose edges test them. */
function heedingNodes(graph: Graph): ReadonlySet<string> {
  const reads = contextReads(graph).filter(({ key }) => key === 'parallel' || key.startsWith('parallel.'));
  return new Set(reads.map(({ node }) => node.id));
}

interface Work {
  readonly node: Node;
  readonly isAfterFanIn: boolean;
}

/** First stage after the join that works although branches may have failed. */
function unheededWork(
  graph: Graph,
  flow: ControlFlow,
  parallel: ProgramPoint,
  heeding: ReadonlySet<string>,
): readonly Work[] {
  const joins = flow.stepsFrom(parallel.index).filter(({ by }) => by === 'join');
  const open = joins.map(({ to }) => ({ index: to, isAfterFanIn: false }));
  const seen = new Set<number>();
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const point = flow.points[next.index];
    if (point === undefined || seen.has(next.index) || point.region !== parallel.region) continue;
    seen.add(next.index);
    if (isHeeding(graph, point, heeding, next.isAfterFanIn)) continue;
    if (isWork(point)) return [{ node: point.node, isAfterFanIn: next.isAfterFanIn }];
    const isAfterFanIn = next.isAfterFanIn || point.handler.joins;
    for (const { to, by } of flow.stepsFrom(next.index)) {
      if (by === 'edge') open.push({ index: to, isAfterFanIn });
    }
  }
  return [];
}

/**
 * True if a node tests the failures; after a fan-in `outcome` does not, because a fan-in succeeds if one
 * branch did.
 */
function isHeeding(
  graph: Graph,
  { node, handler }: ProgramPoint,
  heeding: ReadonlySet<string>,
  isAfterFanIn: boolean,
): boolean {
  if (heeding.has(node.id) || handler.type === 'wait.human' || routingInDoubt(graph).has(node.id))
    return true;
  const asks = outgoingEdges(graph, node.id).some((edge) => conditionOf(edge).condition !== undefined);
  return handler.inheritsOutcome && !isAfterFanIn && asks;
}

function isWork({ node, handler }: ProgramPoint): boolean {
  if (handler.type === 'tool') return !hardlyFails(nodeAttribute(node, 'tool_command'));
  return handler.runsPrograms && !handler.joins && !handler.forks;
}

/** Stages of the branches whose failure has no route, and so becomes that of the branch. */
function failingIn(
  graph: Graph,
  flow: ControlFlow,
  parallel: Node,
  handlerTypes: KnownHandlerTypes,
  isBeforeFanIn: boolean,
): readonly Node[] {
  const outcomes = expectedOutcomes(graph, handlerTypes);
  const mayFail = ({ node, handler, region }: ProgramPoint): boolean => {
    if (region?.parallelId !== parallel.id || (handler.neverFails && !node.attributes.has('fail_when')))
      return false;
    if (handler.type === 'tool' && hardlyFails(nodeAttribute(node, 'tool_command'))) return false;
    if (isBeforeFanIn && handler.type !== 'tool') return false;
    if (!outcomes(node.id).has('fail') || handler.forks) return false;
    return failureRoutes(graph, node.id, handlerTypes).every(({ kind }) => kind === 'fail');
  };
  return [...new Set(flow.points.filter(mayFail).map(({ node }) => node))];
}

/**
 * Findings for edges to the exit, which end their branch alone (SEMANTICS 48a): the "No" of a person stops
 * nothing else.
 */
function* exitsFrom(
  graph: Graph,
  flow: ControlFlow,
  parallel: Node,
  next: Node,
  search: FlowSearch | undefined,
): Iterable<Finding> {
  const exitId = exitNodes(graph)[0]?.id;
  const inside = flow.points.filter(({ region }) => region?.parallelId === parallel.id);
  for (const edge of inside.flatMap(({ node }) => outgoingEdges(graph, node.id))) {
    if (edge.to !== exitId) continue;
    const taken = (isFailure: boolean) =>
      continuing(
        search,
        parallel,
        edge.from,
        ({ route, routed }) =>
          route.kind === 'edge' &&
          route.edge.to === edge.to &&
          !route.edge.loopRestart &&
          (routed.status === 'fail') === isFailure,
        next,
      );
    const asSuccess = taken(false);
    const proof = asSuccess ?? taken(true);
    if (proof === undefined) continue;
    yield {
      message: `the edge from ${excerpt(edge.from)} to the exit only ends this branch, as a ${asSuccess ? 'success' : 'failure'}: after ${excerpt(parallel.id)}, the run still continues with ${excerpt(next.id)}`,
      span: edge.span,
      edge: [edge.from, edge.to],
      related: [{ span: next.span, message: 'runs even if a branch fails' }],
      fix: {
        title: `point the edge at a stage that fails, and add \`join_policy=quorum, join_quorum=1\` to \`${parallel.id}\`; or decide after the join`,
        edits: [],
      },
      ...proof,
    };
  }
}

function finding(parallel: Node, failing: readonly Node[], next: Node): Finding {
  const names = listNames(failing.map(({ id }) => id));
  const cause = failing.length === 1 ? `${names} fails` : `one of ${names} fails`;
  return {
    message: `if ${cause}, the run still continues with ${excerpt(next.id)} after ${excerpt(parallel.id)}: nothing checks whether a branch failed`,
    span: parallel.span,
    nodeId: parallel.id,
    related: [{ span: next.span, message: 'runs even if a branch fails' }],
    fix: fixOf(parallel),
  };
}

/** Fix by a quorum of all (SEMANTICS 108). It changes what the run does, so a person decides on it. */
function fixOf({ attributes }: Node): NonNullable<Finding['fix']> {
  const title =
    'add `join_policy=quorum, join_quorum=1`: the parallel node fails unless every branch succeeded';
  const [shape, policy] = [attributes.get('shape'), attributes.get('join_policy')];
  const quorum = 'quorum, join_quorum=1';
  if (policy?.origin === 'explicit') {
    return { title, edits: [{ span: policy.valueSpan, text: quorum }], unsafe: true };
  }
  if (shape?.origin !== 'explicit' || policy !== undefined) return { title, edits: [] };
  const { end } = shape.valueSpan;
  return { title, edits: [{ span: { start: end, end }, text: `, join_policy=${quorum}` }], unsafe: true };
}
