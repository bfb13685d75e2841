import type { SourceText, Span } from '../diagnostic/source.js';
import type { Comment, DotDocument, Statement, SubgraphStatement } from '../parser/dot/ast.js';

/** Lines of comments and findings, for suppression line by line. */
export interface SuppressedLines {
  /** Next line after a comment with more in it than blanks and comments. */
  lineAfter(comment: Span): number | undefined;
  /** Lines of a finding: its own, and those on which its statement and its attribute begin. */
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
      const enclosingUnits = units
        .flatMap((spans) => lastBefore(spans, start) ?? [])
        .filter(({ end }) => start < end);
      return [...new Set([line, ...enclosingUnits.map((span) => source.positionAt(span.start).line)])];
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
 * Statements in the order of the text; of a subgraph its content, because a comment before it is not about
 * all of that. Subgraphs are nested no deeper than the parser allows.
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

/** Last span that begins at or before an offset, among spans in order. */
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
