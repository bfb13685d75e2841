import type { AttributeMap, Graph } from '../graph/graph.js';
import { RunError } from '../run-directory/run-error.js';
import type { Redactor } from '../secrets/redactor.js';

/**
 * Refuses a graph with secrets: a pipeline is stored, drawn and sent to models (DESIGN §4). Its text was
 * cleaned before it was compiled; a secret in its graph was put there by a transform, or by the compiling
 * program.
 * @throws RunError `usage`
 */
export function refuseSecrets(graph: Graph, redactor: Redactor): void {
  for (const { where, text } of textsOf(graph)) {
    const clean = redactor.text(text);
    if (clean === text) continue;
    const name = /\[redacted:([^\]]*)\]/.exec(clean)?.[1] ?? 'secret';
    throw new RunError(
      'usage',
      `the pipeline is not run: ${redactor.text(where)} contains a secret (${name}), which would be written to disk. Remove it from the pipeline, or from the transform that adds it; a tool can read it from its environment, by the name of the variable`,
    );
  }
}

interface Place {
  readonly where: string;
  readonly text: string;
}

function* textsOf(graph: Graph): Generator<Place> {
  yield { where: 'its name', text: graph.name };
  yield* attributesOf('the graph', graph.attributes);
  for (const { id, attributes } of graph.nodes.values()) {
    yield { where: 'the id of a node', text: id };
    yield* attributesOf(`the node "${id}"`, attributes);
  }
  for (const { from, to, attributes } of graph.edges)
    yield* attributesOf(`the edge ${from} -> ${to}`, attributes);
}

function* attributesOf(owner: string, attributes: AttributeMap): Generator<Place> {
  for (const { name, value } of attributes.values())
    if (typeof value === 'string') yield { where: `"${name}" of ${owner}`, text: value };
}
