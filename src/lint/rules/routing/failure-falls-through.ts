import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import type { Attribute, Graph, Node } from '../../../graph/graph.js';
import { conditionOf, handlerTypeOf, outgoingEdges } from '../../../graph/queries.js';
import { attributeOwners } from '../../attribute-owners.js';
import { failureRoutes, type Route } from '../../conditions/routes-of.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 20: under `on_failure=continue` a failure without a route continues as a success does. */
export const failureFallsThrough: LintRule = {
  name: 'failure_falls_through',
  severity: 'info',
  summary: 'With `on_failure=continue`, the failure of a stage still has its own route.',
  rationale:
    'With `on_failure=continue`, a failed stage whose failure has no route takes a plain edge, as after a success: later stages work with missing results, and only the quality of the run, `degraded`, shows it. The finding names these stages. If a failure matters, add an edge with `condition="outcome=fail"`, a `retry_target` or `on_failure=stop`. If none matters, change nothing.',
  provesAbsence: true,
  *apply(graph, { handlerTypes }) {
    const ofGraph = graph.attributes.get('on_failure')?.value === 'continue';
    const nodes = ofGraph ? graph.nodes.values() : attributeOwners(graph).nodesWith('on_failure');
    const byAttribute = new Map<Attribute, Step[]>();
    for (const node of nodes) {
      const attribute = node.attributes.get('on_failure') ?? graph.attributes.get('on_failure');
      const { type, inheritsOutcome, neverFails } = handlerTypeOf(graph, node, handlerTypes);
      if (attribute?.value !== 'continue' || neverFails || inheritsOutcome) continue;
      if (type === 'tool' && nodeAttribute(node, 'tool_command').trim() === '') continue;
      const route = routeThrough(failureRoutes(graph, node.id, handlerTypes));
      const join = route?.kind === 'join' ? graph.nodes.get(route.to) : undefined;
      // A diamond takes the failure as one.
      const isPassedOn = join !== undefined && handlerTypeOf(graph, join, handlerTypes).inheritsOutcome;
      if (route === undefined || isPassedOn) continue;
      const step = { node, joinId: join?.id };
      const others = byAttribute.get(attribute);
      if (others === undefined) byAttribute.set(attribute, [step]);
      else others.push(step);
    }
    for (const [attribute, steps] of byAttribute) yield* finding(graph, attribute, steps);
  },
};

/** Node of which a failure continues. */
interface Step {
  readonly node: Node;
  /** Join of a parallel node, at which the run continues. */
  readonly joinId: string | undefined;
}

/** Route by which a failure continues; undefined if another one certainly takes it, or a retry target is meant for it. */
function routeThrough(routes: readonly Route[]): Extract<Route, { kind: 'plain' | 'join' }> | undefined {
  if (routes.some(({ kind }) => kind === 'jump')) return undefined;
  return routes.find((route) => route.kind === 'plain' || route.kind === 'join');
}

const mostShown = 4;

const ofStage = 'add an edge with `condition="outcome=fail"` where a failure matters';

/** All edges of a parallel node begin branches. */
const ofParallel = 'add a `retry_target`, or remove `on_failure=continue`, where a failure matters';

function* finding(graph: Graph, attribute: Attribute, all: readonly Step[]): Iterable<Finding> {
  const [first] = all;
  if (first === undefined) return;
  const steps = all.slice(0, mostShown).map((step) => describeStep(graph, step));
  const more = all.length > steps.length ? ` and ${all.length - steps.length} more` : '';
  yield {
    message: `a failure continues as if it were a success: ${steps.join(', ')}${more}`,
    span: attribute.valueSpan,
    nodeId: first.node.id,
    fix: { title: all.every(({ joinId }) => joinId !== undefined) ? ofParallel : ofStage, edits: [] },
  };
}

function describeStep(graph: Graph, { node: { id }, joinId }: Step): string {
  const unconditional = outgoingEdges(graph, id).find((edge) => conditionOf(edge).condition === undefined);
  const to = joinId ?? unconditional?.to;
  return to === undefined ? excerpt(id) : `${excerpt(id)} -> ${excerpt(to)}`;
}
