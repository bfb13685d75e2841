import type { AttributeMap } from '../../src/graph/graph.js';
import { lower } from '../../src/graph/lower.js';
import type { Statement } from '../../src/parser/dot/ast.js';
import { parseDot } from '../../src/parser/dot/parse.js';
import { parseStylesheet } from '../../src/parser/stylesheet/parse.js';

/**
 * The lowered graph of a text without its places. A stylesheet that can be read stands for what it says: blanks between
 * its parts are the only thing that formatting may change in a value.
 */
export function meaningOf(text: string): unknown {
  const { graph } = lower(parseDot(text).document);
  return {
    name: graph.name,
    attributes: valuesOf(graph.attributes, true),
    nodes: [...graph.nodes.values()].map(({ attributes, span: _, ...node }) => ({
      ...node,
      attributes: valuesOf(attributes),
    })),
    edges: graph.edges.map(({ index, from, to, attributes }) => [index, from, to, valuesOf(attributes)]),
    subgraphs: graph.subgraphs.map(({ attributes, span: _, ...subgraph }) => ({
      ...subgraph,
      attributes: valuesOf(attributes),
    })),
  };
}

function valuesOf(attributes: AttributeMap, isPipeline = false): readonly unknown[] {
  return [...attributes.values()].map(({ name, value, origin }) => [
    name,
    isPipeline && name === 'model_stylesheet' ? sheetMeaning(String(value)) : value,
    origin,
  ]);
}

function sheetMeaning(text: string): unknown {
  const { stylesheet } = parseStylesheet(text);
  if (stylesheet === undefined || stylesheet.rules.length === 0) return text;
  const rules = stylesheet.rules.map(({ selector, declarations }) => [
    selector.kind,
    selector.name,
    ...declarations.map(({ property, value }) => [property, value]),
  ]);
  return { rules, comments: (text.match(/\/\*[\s\S]*?\*\//g) ?? []).map(withoutBlanks) };
}

/** The comments of a text, sorted: each must be there as often as before, though not at the same offset. */
export function commentsOf(text: string): readonly string[] {
  return parseDot(text)
    .document.comments.map(({ span }) => withoutBlanks(text.slice(span.start, span.end)))
    .sort();
}

/** Blanks at the ends of the lines of a comment, and before the stars of a block, are layout. */
function withoutBlanks(comment: string): string {
  return comment
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .join('\n');
}

/** The ids that a text mentions and its edges in their order, one by one. */
export function drawingOf(text: string): {
  readonly nodes: readonly string[];
  readonly edges: readonly string[];
} {
  const nodes = new Set<string>();
  const edges: string[] = [];
  const visit = (statements: readonly Statement[]): void => {
    for (const statement of statements) {
      if (statement.kind === 'subgraph') visit(statement.statements);
      if (statement.kind === 'node') nodes.add(statement.id.name);
      if (statement.kind !== 'edge') continue;
      statement.chain.forEach(({ name }, index) => {
        nodes.add(name);
        const before = statement.chain[index - 1];
        if (before !== undefined) edges.push(`${before.name} -> ${name}`);
      });
    }
  };
  visit(parseDot(text).document.graph?.statements ?? []);
  return { nodes: [...nodes].sort(), edges: edges.sort() };
}
