import type { SourceText, Span } from '../diagnostic/source.js';
import type { AttributeNode, Comment, DotDocument, Statement } from '../parser/dot/ast.js';

/** Which lines comments and findings belong to, where findings are suppressed line by line. */
export interface SuppressedLines {
  /** The next line behind a comment that has more in it than blanks and comments. */
  lineAfter(comment: Span): number | undefined;
  /** The line of a finding; inside of an attribute over several lines, the one on which that begins. */
  linesOf(span: Span): readonly number[];
}

export function suppressedLines(source: SourceText, { graph, comments }: DotDocument): SuppressedLines {
  const { text } = source;
  const commentAt = new Map(comments.map((comment) => [comment.span.start, comment]));
  const long = [...attributesIn(graph?.statements ?? [])]
    .map(({ span }) => span)
    .filter((span) => text.indexOf('\n', span.start) < span.end && text.indexOf('\n', span.start) !== -1);
  return {
    lineAfter: ({ end }) => lineAfter(source, end, commentAt),
    linesOf({ start }) {
      const { line } = source.positionAt(start);
      const around = lastBefore(long, start);
      if (around === undefined || around.end <= start) return [line];
      return [line, source.positionAt(around.start).line];
    },
  };
}

function lineAfter(
  source: SourceText,
  end: number,
  commentAt: ReadonlyMap<number, Comment>,
): number | undefined {
  const { text } = source;
  const lineEnd = text.indexOf('\n', end);
  if (lineEnd === -1) return undefined;
  let offset = lineEnd;
  const blanks = /\s*/y;
  for (;;) {
    blanks.lastIndex = offset;
    blanks.test(text);
    offset = blanks.lastIndex;
    const comment = commentAt.get(offset);
    if (comment === undefined) break;
    offset = comment.span.end;
  }
  return offset === text.length ? undefined : source.positionAt(offset).line;
}

/** In the order of the text. Blocks are nested no deeper than the parser allows. */
function* attributesIn(statements: readonly Statement[]): Iterable<AttributeNode> {
  for (const statement of statements) {
    switch (statement.kind) {
      case 'subgraph':
        yield* attributesIn(statement.statements);
        break;
      case 'attribute':
        yield statement.attribute;
        break;
      case 'graph_attributes':
      case 'node_defaults':
      case 'edge_defaults':
      case 'node':
      case 'edge':
        yield* statement.attributes;
        break;
    }
  }
}

/** Of spans in their order, the last one that begins at an offset or before it. */
function lastBefore(spans: readonly Span[], offset: number): Span | undefined {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return spans[low - 1];
}
