import { compile } from '../../compile.js';
import { didYouMean } from '../../diagnostic/did-you-mean.js';
import { printable } from '../../diagnostic/printable.js';
import { attributeText, type Graph, type Node } from '../../graph/graph.js';
import { knownHandlerTypes } from '../../graph/known-handler-types.js';
import { handlerTypeOf, incomingEdges } from '../../graph/queries.js';
import { routingNode } from '../../lint/conditions/stage-ways.js';
import { compileOptionsOf, type ExtensionArguments, extensionsFor } from '../extensions.js';
import type { Io } from '../io.js';
import { readSource } from '../read-source.js';
import { UsageError } from '../usage-error.js';
import { nodeRoutes, type Way } from './node-routes.js';
import type { Page } from './page.js';

interface NodeRequest {
  readonly options: ExtensionArguments;
  readonly io: Io;
  readonly page: Page;
}

/** Writes what a node is, and where control goes from it. @throws UsageError for a file without such a node */
export async function explainNode(
  id: string,
  file: string,
  { options, io, page }: NodeRequest,
): Promise<void> {
  const { name, text } = await readSource(file, io);
  const compiling = compileOptionsOf(await extensionsFor(file, options, io));
  const { graph, source } = compile(text, { name, ...compiling });
  const types = knownHandlerTypes(compiling.handlerTypes);
  const node = graph.nodes.get(id);
  const routing = routingNode(graph, id, types);
  if (node === undefined || routing === undefined) throw noSuchNode(id, name, graph);

  const { line } = source.positionAt(node.span.start);
  page.title(id, `${routing.handler.title} (${routing.handler.type}), ${name}:${line}`);
  page.paragraph(routing.handler.summary);
  const attributes = attributesOf(node);
  if (attributes.length > 0) page.list(attributes);

  const from = [...new Set(incomingEdges(graph, id).map((edge) => edge.from))];
  page.paragraph(from.length === 0 ? 'No edge leads here.' : `Comes from: ${from.join(', ')}`);
  if (routing.parallel !== undefined) {
    page.heading('Branches');
    page.list(
      routing.edges.map(({ to, label }) => [to, label === '' ? 'a branch' : `a branch, "${shown(label)}"`]),
    );
  }
  if (routing.retry.maxAttempts > 1 && routing.retry.retriesFailure) {
    page.paragraph(
      `A failure is tried again, up to ${routing.retry.maxAttempts} attempts, before it counts.`,
    );
  }
  const handlerOf = (nodeId: string) => {
    const other = graph.nodes.get(nodeId);
    return other && handlerTypeOf(graph, other, types);
  };
  for (const { outcomes, ways, otherwise } of nodeRoutes(routing, handlerOf)) {
    page.heading(`${routing.handler.inheritsOutcome ? 'After' : 'On'} ${outcomes.join(', ')}`);
    const last = otherwise === undefined ? [] : [['else', otherwise] as const];
    page.list([...ways.map(entryOf), ...last]);
  }
}

function entryOf({ to, when, label }: Way): readonly [string, string] {
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
