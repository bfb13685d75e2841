import { compile } from '../../compiler/compile.js';
import { didYouMean } from '../../diagnostic/did-you-mean.js';
import { printable } from '../../diagnostic/printable.js';
import { edgeAttribute } from '../../graph/attributes.js';
import { attributeText, type Graph, type Node } from '../../graph/graph.js';
import { knownHandlerTypes } from '../../graph/known-handler-types.js';
import { incomingEdges } from '../../graph/queries.js';
import { outcomeWords, type RouteLine } from '../../lint/conditions/outcome-words.js';
import { routesOf } from '../../lint/conditions/routes-of.js';
import { compileOptionsOf, type ExtensionArguments, extensionsFor } from '../../setup/extensions.js';
import { UsageError } from '../../setup/usage-error.js';
import type { Io } from '../io.js';
import { readSource } from '../read-source.js';
import type { TopicPage } from './page.js';

interface NodeRequest {
  readonly options: ExtensionArguments;
  readonly io: Io;
  readonly page: TopicPage;
}

/**
 * Describes a node, and the routes from it.
 * @throws UsageError for a file without such a node
 */
export async function explainNode(
  id: string,
  file: string,
  { options, io, page }: NodeRequest,
): Promise<void> {
  const { name, text } = await readSource(file, io);
  const compiling = compileOptionsOf(await extensionsFor(file, options, io));
  const { graph, source } = compile(text, { name, ...compiling });
  const node = graph.nodes.get(id);
  const routes = routesOf(graph, id, knownHandlerTypes(compiling.handlerTypes));
  if (node === undefined || routes === undefined) throw noSuchNode(id, name, graph);

  const { line } = source.positionAt(node.span.start);
  const { handler, retry, branches } = routes;
  page.title(id, `${handler.title} (${handler.type}), ${name}:${line}`);
  page.paragraph(handler.summary);
  const attributes = attributesOf(node);
  if (attributes.length > 0) page.list(attributes);

  const from = [...new Set(incomingEdges(graph, id).map((edge) => edge.from))];
  page.paragraph(from.length === 0 ? 'No edge leads here.' : `Comes from: ${from.join(', ')}`);
  if (branches.length > 0) {
    page.heading('Branches');
    page.list(branches.map((edge) => [edge.to, branchWords(edgeAttribute(edge, 'label'))]));
  }
  if (retry.maxAttempts > 1 && retry.retriesFailure) {
    page.paragraph(`A failure is retried, up to ${retry.maxAttempts} attempts in all.`);
  }
  for (const { outcomes, lines, otherwise } of outcomeWords(routes)) {
    page.heading(`${handler.inheritsOutcome ? 'After' : 'On'} ${outcomes.join(', ')}`);
    const last = otherwise === undefined ? [] : [['else', otherwise] as const];
    page.list([...lines.map(entryOf), ...last]);
  }
}

function branchWords(label: string): string {
  return label === '' ? 'a branch' : `a branch, "${shown(label)}"`;
}

function entryOf({ to, when, label }: RouteLine): readonly [string, string] {
  return [`-> ${to}`, label === '' ? shown(when) : `${shown(when)} · "${shown(label)}"`];
}

const mostText = 200;

function attributesOf(node: Node): readonly (readonly [string, string])[] {
  return [...node.attributes.values()].map(({ name, value }) => {
    const text = shown(attributeText(value).replaceAll(/\s+/g, ' '));
    return [name, text.length > mostText ? `${text.slice(0, mostText)}…` : text] as const;
  });
}

function shown(text: string): string {
  return printable(text);
}

function noSuchNode(id: string, file: string, graph: Graph): UsageError {
  const ids = [...graph.nodes.keys()];
  const some = ids.length === 0 ? 'it has none that can be read' : `there are ${ids.slice(0, 10).join(', ')}`;
  const more = ids.length > 10 ? ` and ${ids.length - 10} more` : '';
  return new UsageError(`${file} has no node "${id}"${didYouMean(id, ids) || `; ${some}${more}`}`);
}
