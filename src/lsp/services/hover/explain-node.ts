import { edgeAttribute } from '../../../graph/attributes.js';
import type { Attribute, Graph, Node } from '../../../graph/graph.js';
import type { HandlerType } from '../../../graph/handler-types.js';
import { modelChoice } from '../../../graph/model-choice.js';
import { incomingEdges } from '../../../graph/queries.js';
import { outcomeWords, type RouteLine } from '../../../lint/conditions/outcome-words.js';
import { type Routes, routesOf } from '../../../lint/conditions/routes-of.js';
import type { PipelineText } from '../text/pipeline-text.js';
import type { Explanation } from './hover.js';

/** Words about a node: its handler, the style that applies to it, and where control goes from here. */
export function explainNode({ graph, handlerTypes }: PipelineText, id: string): Explanation | undefined {
  const node = graph.nodes.get(id);
  const routes = node && routesOf(graph, id, handlerTypes);
  if (node === undefined || routes === undefined) return undefined;
  const { handler } = routes;
  return {
    title: `${id} (${handler.title})`,
    text: handler.summary,
    details: [...styleOf(graph, node, handler), ...arrivals(graph, id), ...departures(routes)],
  };
}

/** Model and its source: the node, the stylesheet, the defaults or the graph (§8.5). */
function styleOf(graph: Graph, node: Node, { llm, mayAskModel }: HandlerType): readonly string[] {
  if (!llm && !mayAskModel) return [];
  const { provider, model, reasoningEffort } = modelChoice(graph, node);
  const source = sourceOf(node.attributes.get('llm_model') ?? graph.attributes.get('llm_model'), graph);
  const named = model === undefined ? 'the default model' : [provider, model].filter(Boolean).join('/');
  const style = `Model: ${named}${source}, reasoning effort ${reasoningEffort}`;
  return node.classes.length === 0 ? [style] : [style, `Classes: ${node.classes.join(', ')}`];
}

function sourceOf(attribute: Attribute | undefined, graph: Graph): string {
  if (attribute === undefined) return '';
  if (graph.attributes.get('llm_model') === attribute) return ' (from the graph)';
  switch (attribute.origin) {
    case 'stylesheet':
      return ' (from the stylesheet)';
    case 'default':
      return ' (from the defaults of nodes)';
    default:
      return '';
  }
}

function arrivals(graph: Graph, id: string): readonly string[] {
  const from = [...new Set(incomingEdges(graph, id).map((edge) => edge.from))];
  return from.length === 0 ? [] : [`Comes from: ${from.join(', ')}`];
}

/** Routes after each outcome, in the order of the engine. */
function departures(routes: Routes): readonly string[] {
  const { handler, retry, branches } = routes;
  const retried =
    retry.maxAttempts > 1 && retry.retriesFailure
      ? [`A failure is retried, up to ${retry.maxAttempts} attempts in all`]
      : [];
  const forked = branches.map((edge) => `Branch -> ${edge.to}${labelWords(edgeAttribute(edge, 'label'))}`);
  const after = outcomeWords(routes).flatMap(({ outcomes, lines, otherwise }) => {
    const when = `${handler.inheritsOutcome ? 'After' : 'On'} ${outcomes.join(', ')}`;
    const last = otherwise === undefined ? [] : [`${when}: else ${otherwise}`];
    return [...lines.map((line) => `${when}: ${routeWords(line)}`), ...last];
  });
  return [...retried, ...forked, ...after];
}

function routeWords({ to, when, label }: RouteLine): string {
  return `-> ${to}${labelWords(label)}, ${when}`;
}

function labelWords(label: string): string {
  return label === '' ? '' : ` "${label}"`;
}
