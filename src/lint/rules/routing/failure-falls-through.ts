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
    const byAttribute = new Map<Attribute, Node[]>();
    for (const node of nodes) {
      const attribute = node.attributes.get('on_failure') ?? graph.attributes.get('on_failure');
      const { type, inheritsOutcome, neverFails } = handlerTypeOf(graph, node, handlerTypes);
      if (attribute?.value !== 'continue' || neverFails || inheritsOutcome) continue;
      if (type === 'tool' && nodeAttribute(node, 'tool_command').trim() === '') continue;
      if (!fallsThrough(failureRoutes(graph, node.id, handlerTypes))) continue;
      const others = byAttribute.get(attribute);
      if (others === undefined) byAttribute.set(attribute, [node]);
      else others.push(node);
    }
    for (const [attribute, nodes] of byAttribute) yield* finding(graph, attribute, nodes);
  },
};

/** True if no other route certainly takes a failure, and no retry target and no diamond is meant for it. */
function fallsThrough(routes: readonly Route[]): boolean {
  const goesOn = routes.some(({ kind }) => kind === 'plain' || kind === 'join');
  return goesOn && !routes.some(({ kind }) => kind === 'jump');
}

const mostShown = 4;

function* finding(graph: Graph, attribute: Attribute, nodes: readonly Node[]): Iterable<Finding> {
  const [first] = nodes;
  if (first === undefined) return;
  const steps = nodes.slice(0, mostShown).map((node) => describeStep(graph, node));
  const more = nodes.length > steps.length ? ` and ${nodes.length - steps.length} more` : '';
  yield {
    message: `a failure continues as if it were a success: ${steps.join(', ')}${more}`,
    span: attribute.valueSpan,
    nodeId: first.id,
    fix: { title: 'add an edge with `condition="outcome=fail"` where a failure matters', edits: [] },
  };
}

function describeStep(graph: Graph, { id }: Node): string {
  const unconditional = outgoingEdges(graph, id).find((edge) => conditionOf(edge).condition === undefined);
  return unconditional === undefined ? excerpt(id) : `${excerpt(id)} -> ${excerpt(unconditional.to)}`;
}
