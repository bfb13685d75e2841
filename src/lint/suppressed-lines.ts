import type { SourceText, Span } from '../diagnostic/source.js';
import type { Comment, DotDocument, Statement, SubgraphStatement } from '../parser/dot/ast.js';

/** Which lines comments and findings belong to, where findings are suppressed line by line. */
export interface SuppressedLines {
  /** The next line after a comment that has more in it than blanks and comments. */
  lineAfter(comment: Span): number | undefined;
  /** The line of a finding, and those on which the statement and the attribute that it is inside of begin. */
  linesOf(span: Span): readonly number[];
}

export function suppressedLines(source: SourceText, { graph, comments }: DotDocument): SuppressedLines {
  const { text } = source;
  const commentAt = new Map(comments.map((comment) => [comment.span.start, comment]));
  const isLong = ({ start, end }: Span): boolean => {
    const lineEnd = text.indexOf('\n', start);
    return lineEnd !== -1 && lineEnd < end;
  };
  const statements = [...statementsIn(graph?.statements ?? [])].filter(({ span }) => isLong(span));
  const attributes = statements.flatMap(attributesOf).filter(isLong);
  const units = [statements.map(({ span }) => span), attributes];
  return {
    lineAfter: ({ end }) => lineAfter(source, end, commentAt),
    linesOf({ start }) {
      const { line } = source.positionAt(start);
      const around = units
        .flatMap((spans) => lastBefore(spans, start) ?? [])
        .filter(({ end }) => start < end);
      return [...new Set([line, ...around.map((span) => source.positionAt(span.start).line)])];
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

/**
 * In the order of the text; of a subgraph what is inside, for it is not a unit: a comment before it is not about all of that.
 * Subgraphs are nested no deeper than the parser allows.
 */
function* statementsIn(statements: readonly Statement[]): Iterable<Exclude<Statement, SubgraphStatement>> {
  for (const statement of statements) {
    if (statement.kind === 'subgraph') yield* statementsIn(statement.statements);
    else yield statement;
  }
}

function attributesOf(statement: Exclude<Statement, SubgraphStatement>): readonly Span[] {
  const attributes = statement.kind === 'attribute' ? [statement.attribute] : statement.attributes;
  return attributes.map(({ span }) => span);
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
