import type { Span } from '../../diagnostic/source.js';
import type { Comment } from '../../parser/dot/ast.js';
import { attributesIn, statementsIn } from './text/attributes-in.js';
import type { PipelineText } from './text/pipeline-text.js';

/** Part of a text that an editor can fold. */
export interface Fold {
  readonly span: Span;
  readonly kind: 'comment' | 'region';
}

/** Folds of a text: the pipeline, statements, texts and comments of several lines, and comments of lines in a row. */
export function foldingRanges({ source, parsed }: PipelineText): readonly Fold[] {
  const { document } = parsed;
  const spans = [
    ...(document.graph === undefined ? [] : [document.graph.span]),
    ...statementsIn(document).map(({ statement }) => statement.span),
    ...attributesIn(document).map(({ attribute }) => attribute.value.span),
  ];
  const lineOf = (offset: number): number => source.positionAt(offset).line;
  const hasLines = ({ start, end }: Span): boolean => lineOf(start) < lineOf(end);
  const regions = spans.filter(hasLines).map((span): Fold => ({ span, kind: 'region' }));
  const comments = commentBlocks(document.comments, source.text).filter(hasLines);
  return [...regions, ...comments.map((span): Fold => ({ span, kind: 'comment' }))];
}

/** Comments, of which those of lines that only blanks separate are one. */
function commentBlocks(comments: readonly Comment[], text: string): readonly Span[] {
  const blocks: { start: number; end: number; isLine: boolean }[] = [];
  for (const { kind, span } of comments) {
    const last = blocks.at(-1);
    const isLine = kind === 'line';
    const continues = last?.isLine === true && isLine && isOneBreak(text.slice(last.end, span.start));
    if (last !== undefined && continues) last.end = span.end;
    else blocks.push({ ...span, isLine });
  }
  return blocks.map(({ start, end }) => ({ start, end }));
}

function isOneBreak(between: string): boolean {
  return /^[ \t]*\r?\n[ \t]*$/.test(between);
}
