import { excerpt } from '../../../diagnostic/excerpt.js';
import { graphThreadNames, writtenFidelity } from '../../../graph/fidelity.js';
import type { Attribute, Edge, Graph, Node } from '../../../graph/graph.js';
import { handlerTypeNamed } from '../../../graph/handler-types.js';
import { handlerTypeOf, incomingEdges } from '../../../graph/queries.js';
import { attributeOwners } from '../../attribute-owners.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/** §5.4: stages share a session under `full` fidelity only. */
export const threadIdNeedsFull: LintRule = {
  name: 'thread_id_needs_full',
  severity: 'warning',
  summary: 'A thread is set only for stages that can have `full` fidelity.',
  rationale:
    'Stages with the same `thread_id` share a session with the model, but only stages with `fidelity=full` have a session. With any other fidelity, including the default `compact`, the stage starts with a summary, and its thread has no effect. Set `fidelity=full` on the stage or on the edge that enters it, or `default_fidelity=full` on the graph, or remove the thread.',
  provesAbsence: true,
  tag: 'unnecessary',
  *apply(graph, context) {
    const threads = threadsOf(graph);
    if (threads.length === 0) return;
    const used = new Set<Attribute>();
    for (const { attribute, mayBeUsed } of threads) {
      if (!used.has(attribute) && mayBeUsed(context)) used.add(attribute);
    }
    const reported = new Set<Attribute>(used);
    for (const thread of threads) {
      if (reported.has(thread.attribute)) continue;
      reported.add(thread.attribute);
      yield finding(thread);
    }
  },
};

interface Thread {
  readonly attribute: Attribute;
  readonly who: string;
  readonly place: Pick<Finding, 'nodeId' | 'edge'>;
  mayBeUsed(context: LintContext): boolean;
}

function threadsOf(graph: Graph): readonly Thread[] {
  const threads: Thread[] = [];
  for (const name of graphThreadNames) {
    const attribute = graph.attributes.get(name);
    if (attribute === undefined || attribute.value === '') continue;
    const mayBeUsed = (context: LintContext) =>
      [...graph.nodes.values()].some((node) => mayBeFull(graph, node, context));
    threads.push({ attribute, who: 'no stage of this pipeline has', place: {}, mayBeUsed });
  }
  for (const node of attributeOwners(graph).nodesWith('thread_id')) {
    const attribute = node.attributes.get('thread_id');
    if (attribute === undefined || attribute.value === '') continue;
    const mayBeUsed = (context: LintContext) => mayBeFull(graph, node, context);
    threads.push({ attribute, who: `${excerpt(node.id)} never has`, place: { nodeId: node.id }, mayBeUsed });
  }
  for (const edge of attributeOwners(graph).edgesWith('thread_id')) {
    const attribute = edge.attributes.get('thread_id');
    if (attribute === undefined || attribute.value === '') continue;
    const target = graph.nodes.get(edge.to);
    const mayBeUsed = (context: LintContext) =>
      target === undefined || (hasSession(graph, target, context) && isFullBy(graph, target, edge));
    const subject = `${excerpt(edge.to)} never has when this edge enters it`;
    threads.push({ attribute, who: subject, place: { edge: [edge.from, edge.to] }, mayBeUsed });
  }
  return threads;
}

function mayBeFull(graph: Graph, node: Node, context: LintContext): boolean {
  if (!hasSession(graph, node, context)) return false;
  if (isFullBy(graph, node)) return true;
  return incomingEdges(graph, node.id).some((edge) => isFullBy(graph, node, edge));
}

/** True for LLM stages and for custom handlers, which may use threads as they like. */
function hasSession(graph: Graph, node: Node, { handlerTypes }: LintContext): boolean {
  const handler = handlerTypeOf(graph, node, handlerTypes);
  return handler.llm || handlerTypeNamed(handler.type) === undefined;
}

function isFullBy(graph: Graph, node: Node, edge?: Edge): boolean {
  return writtenFidelity(graph, node, edge)?.mode === 'full';
}

function finding({ attribute, who: subject, place: location }: Thread): Finding {
  return {
    message: `the thread ${excerpt(String(attribute.value))} is never used: a thread needs \`full\` fidelity, which ${subject}`,
    span: { start: attribute.keySpan.start, end: attribute.valueSpan.end },
    ...location,
    fix: { title: 'add `fidelity=full`, or remove the thread', edits: [] },
  };
}
