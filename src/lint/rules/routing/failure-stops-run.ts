import { excerpt } from '../../../diagnostic/excerpt.js';
import { graphAttribute, nodeAttribute } from '../../../graph/attributes.js';
import { jumpTargets } from '../../../graph/flow/jump-targets.js';
import type { Graph, Node } from '../../../graph/graph.js';
import type { KnownHandlerTypes } from '../../../graph/known-handler-types.js';
import type { ProgramEdge } from '../../../graph/program.js';
import { exitNodes, outgoingEdges } from '../../../graph/queries.js';
import { retryPolicyOf } from '../../../graph/retry-policy.js';
import { alwaysFails } from '../../analysis/always-fails.js';
import { type ControlFlow, controlFlow, type ProgramPoint } from '../../analysis/control-flow.js';
import { hardlyFails } from '../../analysis/hardly-fails.js';
import { attributeOwners } from '../../attribute-owners.js';
import { negated } from '../../conditions/formula.js';
import { isNever } from '../../conditions/is-never.js';
import { failureRoutes } from '../../conditions/routes-of.js';
import { type StageEdges, spanOfEdge, stageEdges } from '../../conditions/stage-edges.js';
import type { Departure } from '../../flow/departure.js';
import { flowSearch } from '../../flow/flow-search.js';
import { type Proof, proofOf } from '../../flow/proof.js';
import { listNames } from '../../list-names.js';
import { handlersInDoubt, misspelt } from '../../misspelt.js';
import { routingInDoubt } from '../../routing-in-doubt.js';
import type { Finding, LintRule } from '../../rule.js';

/**
 * SEMANTICS 20: the failure of a stage without a route ends the run. Most authors expect that of a linear
 * pipeline, so it is reported only if they may expect something else: as a hint for commands, whose exit
 * code is a result like any other, and as a warning if the graph seems to have a route that the engine does
 * not take. The hint is quiet in a pipeline that handles no failure at all.
 */
export const failureStopsRun: LintRule = {
  name: 'failure_stops_run',
  severity: 'info',
  summary: 'The failure of a stage has a route, or is meant to end the run.',
  rationale:
    'A failed stage outside of branches takes an edge whose condition holds, its own `retry_target`, or a plain edge into a diamond. Without any of these, the run fails. A plain edge next to one with `outcome=success` is not an "else" for failures, and the `retry_target` of the graph only applies to goal gates at the exit, which a failed run never reaches. Add an edge with `condition="outcome=fail"`, set `retry_target`, or connect the stage to a diamond. If the run should end, set `on_failure=stop` on the node or on the graph to silence this rule. If no failure in a pipeline has a route, `attractor lint` shows this only with `--verbose`.',
  provesAbsence: true,
  followsFlow: true,
  *apply(graph, { handlerTypes }) {
    if (graph.attributes.has('on_failure') || misspelt(graph).graphMeans('on_failure')) return;
    const flow = controlFlow(graph, handlerTypes);
    const stops = stopsOf(graph, flow, handlerTypes);
    const commands: Node[] = [];
    let firstProof: Proof = {};
    for (const { node, handler } of stops) {
      if (isRouteMisspelt(graph, node, handlerTypes)) continue;
      const misread = elseFinding(graph, node, handlerTypes) ?? gateFinding(graph, node);
      if (misread === undefined && !isVerdict(graph, node, handler)) continue;
      const answer = flowSearch(graph, handlerTypes)?.leaving(node.id, endsByFailure);
      if (answer?.kind === 'never') continue;
      if (misread !== undefined) yield { ...misread, ...proofOf(answer) };
      else {
        // One run is shown for all of them.
        if (commands.length === 0) firstProof = proofOf(answer) ?? {};
        commands.push(node);
      }
    }
    const [first, ...others] = commands;
    if (first === undefined) return;
    const finding = { ...commandsFinding(first, others), ...firstProof };
    // Where no failure has a route, the author is content with that.
    yield hasRoute(graph, flow, handlerTypes) ? finding : { ...finding, quiet: true };
  },
};

function endsByFailure({ choice, route, ending }: Departure): boolean {
  return choice.status === 'fail' && route.kind === 'fail' && ending === 'failed';
}

/** Stages of the main line without a failure route: the failure of a branch is left to its parallel node. */
function stopsOf(graph: Graph, flow: ControlFlow, handlerTypes: KnownHandlerTypes): readonly ProgramPoint[] {
  const exitId = exitNodes(graph)[0]?.id ?? '';
  const candidates = candidatesIn(graph);
  return flow.points.filter(({ node, region, handler }) => {
    if (handler.type !== 'tool' && !candidates.has(node.id)) return false;
    if (region !== undefined || node.id === exitId || handler.neverFails || handler.inheritsOutcome) {
      return false;
    }
    if (node.attributes.has('on_failure') || !isWorthALook(graph, node, handler)) return false;
    return failureRoutes(graph, node.id, handlerTypes).every(({ kind }) => kind === 'fail');
  });
}

/** True if the failure of some stage of the main line has a route. */
function hasRoute(graph: Graph, { points }: ControlFlow, handlerTypes: KnownHandlerTypes): boolean {
  return points.some(
    ({ node, region, handler }) =>
      region === undefined &&
      !handler.neverFails &&
      !handler.inheritsOutcome &&
      failureRoutes(graph, node.id, handlerTypes).some(({ kind }) => kind !== 'fail'),
  );
}

/** Nodes besides commands that may pass `isWorthALook`. */
function candidatesIn(graph: Graph): ReadonlySet<string> {
  const { nodesWith, edgesWith } = attributeOwners(graph);
  const gates = nodesWith('goal_gate').map(({ id }) => id);
  return new Set([...gates, ...edgesWith('condition').map(({ from }) => from)]);
}

/** True if there may be a route that is only misspelt, which other findings report. */
function isRouteMisspelt(graph: Graph, node: Node, handlerTypes: KnownHandlerTypes): boolean {
  const { nodeMeans } = misspelt(graph);
  if (routingInDoubt(graph).has(node.id) || routeNames.some((name) => nodeMeans(node, name))) return true;
  const inDoubt = handlersInDoubt(graph, handlerTypes);
  if (inDoubt.size === 0) return false;
  const next = outgoingEdges(graph, node.id).flatMap(({ to }) => graph.nodes.get(to) ?? []);
  return [node, ...next].some((one) => inDoubt.has(one));
}

const routeNames = ['retry_target', 'fallback_retry_target', 'on_failure', 'max_retries'] as const;

/**
 * True for a goal gate, a command that may say no, and a node with conditions; of any other stage authors
 * expect nothing else.
 */
function isWorthALook(graph: Graph, node: Node, handler: ProgramPoint['handler']): boolean {
  if (node.attributes.has('goal_gate') || isVerdict(graph, node, handler)) return true;
  const edges = outgoingEdges(graph, node.id);
  return edges.length > 1 && edges.some(({ attributes }) => attributes.has('condition'));
}

/**
 * Finding for a plain edge besides a condition that tests for success: it looks like an "else", but is not
 * one for failures.
 */
function elseFinding(graph: Graph, node: Node, handlerTypes: KnownHandlerTypes): Finding | undefined {
  const stage = stageEdges(graph, handlerTypes).get(node.id);
  const [success] = stage === undefined ? [] : takenOnSuccess(stage);
  const unconditional = stage?.plain[0];
  if (success === undefined || unconditional === undefined || unconditional.to === success.to)
    return undefined;
  return {
    severity: 'warning',
    message: `if ${excerpt(node.id)} fails, the run stops: the edge to ${excerpt(unconditional.to)} has no condition, and a failure takes only an edge whose condition holds`,
    span: spanOfEdge(graph, unconditional),
    nodeId: node.id,
    edge: [unconditional.from, unconditional.to],
    related: [{ span: spanOfEdge(graph, success), message: 'taken after a success' }],
    fix: { title: 'add `condition="outcome!=success"` if the edge is also for failures', edits: [] },
  };
}

function takenOnSuccess({ conditional, conditions }: StageEdges): readonly ProgramEdge[] {
  return conditional.filter((_, index) => {
    const formula = conditions?.formulas[index];
    return conditions && formula && isNever(conditions, negated(formula), new Set(['success']));
  });
}

/**
 * Finding for a goal gate whose failure ends the run before the exit, where the graph's retry target would
 * help it.
 */
function gateFinding(graph: Graph, node: Node): Finding | undefined {
  if (!nodeAttribute(node, 'goal_gate')) return undefined;
  const exitId = exitNodes(graph)[0]?.id;
  const written = jumpTargets(
    graphAttribute(graph, 'retry_target'),
    graphAttribute(graph, 'fallback_retry_target'),
  );
  // An invalid one has its own finding, and would not help here either (SEMANTICS 20c).
  const target = written.find(({ nodeId }) => nodeId !== exitId && graph.nodes.has(nodeId));
  if (target === undefined) return undefined;
  const { attribute, nodeId } = target;
  return {
    severity: 'warning',
    message: `if goal gate ${excerpt(node.id)} fails, the run stops at once: the \`${attribute}\` of the graph, ${excerpt(nodeId)}, only applies at the exit, which is not reached`,
    span: node.span,
    nodeId: node.id,
    fix: {
      title: `set \`retry_target=${nodeId}\` on \`${node.id}\`, or add an edge for its failure`,
      edits: [],
    },
  };
}

/** True for a command that may say no, not one that always does, and whose author has not handled that. */
function isVerdict(graph: Graph, node: Node, { type, retriesFailure }: ProgramPoint['handler']): boolean {
  if (type !== 'tool' || nodeAttribute(node, 'goal_gate')) return false;
  const command = nodeAttribute(node, 'tool_command');
  if (command.trim() === '' || hardlyFails(command) || alwaysFails(command)) return false;
  const retry = retryPolicyOf(graph, node, retriesFailure);
  return !retry.retriesFailure || retry.maxAttempts <= 1;
}

function commandsFinding(first: Node, others: readonly Node[]): Finding {
  const ids = [first, ...others].map(({ id }) => id);
  const message =
    others.length === 0
      ? `if the command of ${excerpt(first.id)} fails, the run stops: no edge or retry target handles the failure`
      : `if one of ${ids.length} commands fails, the run stops: no edge or retry target handles the failure of ${listNames(ids)}`;
  return {
    message,
    span: first.span,
    nodeId: first.id,
    fix: { title: 'add an edge with `condition="outcome=fail"`, or set `on_failure=stop`', edits: [] },
  };
}
