import { attributeText, type Graph, type Node } from '../../../graph/graph.js';
import { outgoingEdges } from '../../../graph/queries.js';
import { quote } from '../../../parser/dot/quote.js';
import type { PipelineChange, PipelineRule } from '../dot-dialect.js';

/**
 * Loops of kilroy between a trapezium and an inverted one: the end becomes a command that looks for the file, with an
 * edge back to the beginning, which becomes a diamond without conditions.
 */
export const fileLoops: PipelineRule = function* (graph): Iterable<PipelineChange> {
  for (const begin of withShape(graph, 'trapezium')) {
    yield* shape(begin, 'diamond');
    const id = textOf(begin, 'loop_id') ?? begin.id;
    const end = withShape(graph, 'invtrapezium').find((node) => (textOf(node, 'loop_id') ?? node.id) === id);
    if (end === undefined) continue;
    const command = commandOf(end);
    if (command === undefined) {
      const message = `the loop "${id}" has lost its end: add edges with conditions to "${end.id}"`;
      yield { kind: 'note', span: end.span, note: { kind: 'lost', message } };
      continue;
    }
    yield* shape(end, 'parallelogram');
    yield { kind: 'set', nodeId: end.id, name: 'tool_command', raw: quote(command) };
    const limit = Number(textOf(end, 'loop_max') ?? textOf(begin, 'loop_max') ?? 0);
    if (limit > 0) yield { kind: 'set', nodeId: begin.id, name: 'max_visits', raw: String(limit) };
    yield { kind: 'epilogue', statement: `${end.id} -> ${begin.id} [condition="outcome=fail"]` };
    for (const edge of outgoingEdges(graph, end.id)) {
      if (!edge.attributes.has('condition') && edge.to !== begin.id)
        yield { kind: 'set_edge', edge, name: 'condition', raw: '"outcome=success"' };
    }
    const message = 'the loop is an edge back to its beginning, taken until the command finds the file';
    yield { kind: 'note', span: end.span, note: { kind: 'changed', message } };
  }
};

function withShape({ nodes }: Graph, shapeName: string): readonly Node[] {
  return [...nodes.values()].filter((node) => textOf(node, 'shape') === shapeName);
}

function textOf({ attributes }: Node, name: string): string | undefined {
  const value = attributes.get(name)?.value;
  return value === undefined ? undefined : attributeText(value);
}

function* shape({ attributes }: Node, name: string): Iterable<PipelineChange> {
  const written = attributes.get('shape');
  if (written !== undefined) yield { kind: 'replace', span: written.valueSpan, text: name };
}

/** Command that succeeds when the loop is to end; undefined if nothing says when. */
function commandOf(end: Node): string | undefined {
  const file = textOf(end, 'loop_until_file');
  if (file !== undefined) return `test -e ${word(file)}`;
  const [, name, pattern] = /^([^:]*):([\s\S]*)$/.exec(textOf(end, 'loop_until_file_contains') ?? '') ?? [];
  if (name === undefined || pattern === undefined) return undefined;
  return `grep -qF -- ${word(pattern.trim())} ${word(name.trim())}`;
}

function word(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
