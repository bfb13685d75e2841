import type { Span } from '../../diagnostic/source.js';
import { handlerTypeOf } from '../../graph/queries.js';
import type { Statement } from '../../parser/dot/ast.js';
import type { PipelineText } from './text/pipeline-text.js';

/** Part of a pipeline for an outline. */
export interface DocumentSymbol {
  readonly kind: 'pipeline' | 'subgraph' | 'node';
  readonly name: string;
  /** Kind of stage, or the label of a subgraph. */
  readonly detail: string;
  readonly span: Span;
  /** Part of the span that names it. */
  readonly nameSpan: Span;
  readonly children: readonly DocumentSymbol[];
}

/** Outline of a text: its pipeline, the subgraphs in it, and the nodes where they are declared. */
export function documentSymbols(pipeline: PipelineText): readonly DocumentSymbol[] {
  const { graph: written } = pipeline.parsed.document;
  if (written === undefined) return [];
  const { name, span, statements } = written;
  const goal = String(pipeline.graph.attributes.get('goal')?.value ?? '');
  const children = symbolsOf(statements, pipeline, new Set());
  return [{ kind: 'pipeline', name: name.name, detail: goal, span, nameSpan: name.span, children }];
}

function symbolsOf(
  statements: readonly Statement[],
  pipeline: PipelineText,
  seen: Set<string>,
): readonly DocumentSymbol[] {
  return statements.flatMap((statement): readonly DocumentSymbol[] => {
    const { span } = statement;
    if (statement.kind === 'subgraph') {
      const label = labelOf(statement.statements);
      const name = statement.name?.name ?? label ?? 'subgraph';
      const nameSpan = statement.name?.span ?? { start: span.start, end: span.start + 1 };
      const children = symbolsOf(statement.statements, pipeline, seen);
      return [{ kind: 'subgraph', name, detail: label ?? '', span, nameSpan, children }];
    }
    if (statement.kind !== 'node' || seen.has(statement.id.name)) return [];
    const { id } = statement;
    seen.add(id.name);
    const node = pipeline.graph.nodes.get(id.name);
    const detail = node === undefined ? '' : handlerTypeOf(pipeline.graph, node, pipeline.handlerTypes).title;
    return [{ kind: 'node', name: id.name, detail, span, nameSpan: id.span, children: [] }];
  });
}

function labelOf(statements: readonly Statement[]): string | undefined {
  for (const statement of statements) {
    const written = statement.kind === 'attribute' ? [statement.attribute] : [];
    const attributes = statement.kind === 'graph_attributes' ? statement.attributes : written;
    const label = attributes.find(({ key }) => key.name === 'label');
    if (label !== undefined) return label.value.text;
  }
  return undefined;
}

/** Outline without its levels, outer parts first. */
export function flatSymbols(symbols: readonly DocumentSymbol[]): readonly DocumentSymbol[] {
  return symbols.flatMap((symbol) => [symbol, ...flatSymbols(symbol.children)]);
}

/** True if the letters of a query occur in a name in their order, as editors match. */
export function matchesQuery(name: string, query: string): boolean {
  let from = 0;
  const lower = name.toLowerCase();
  for (const letter of query.toLowerCase()) {
    const found = lower.indexOf(letter, from);
    if (found === -1) return false;
    from = found + 1;
  }
  return true;
}
