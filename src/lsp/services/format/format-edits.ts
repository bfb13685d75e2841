import type { TextEdit } from '../../../diagnostic/diagnostic.js';
import type { Span } from '../../../diagnostic/source.js';
import { format } from '../../../format/format.js';
import { statementsIn } from '../text/attributes-in.js';
import type { PipelineText } from '../text/pipeline-text.js';
import { lineEdits } from './line-edits.js';

/**
 * Edits that bring a text into its canonical form (SEMANTICS 98); none for a text with syntax errors.
 * @param range only the lines that it touches, if given
 */
export function formatEdits({ text }: PipelineText, range?: Span): readonly TextEdit[] {
  const formatted = format(text).text;
  if (formatted === undefined) return [];
  const edits = lineEdits(text, formatted);
  return range === undefined ? edits : edits.filter(({ span }) => touches(span, range));
}

/** Characters after which the statement before them is formatted. */
export const formattingCharacters = ['}', ']', ';'] as const;

/** Edits of the statement that a typed character has closed. */
export function formatTyped(pipeline: PipelineText, offset: number): readonly TextEdit[] {
  const closed = statementsIn(pipeline.parsed.document)
    .map(({ statement }) => statement.span)
    .filter(({ start, end }) => start < offset && endsHere(pipeline.text.slice(end, offset)));
  const [smallest] = closed.sort((one, other) => other.start - one.start);
  return smallest === undefined ? [] : formatEdits(pipeline, smallest);
}

/** True if only a separator stands between the end of a statement and the cursor. */
function endsHere(between: string): boolean {
  return /^[\s;]*$/.test(between) && between.length <= 2;
}

function touches(edit: Span, range: Span): boolean {
  return edit.start <= range.end && edit.end >= range.start;
}
