import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { SourceText, Span } from '../diagnostic/source.js';
import type { Attribute, Insertion } from '../graph/graph.js';
import { mapSpan } from '../parser/dot/value-places.js';
import type { Finding } from './rule.js';

/**
 * Maximum of reported remarks about one string, so that hostile input takes linear time; errors are always
 * reported.
 */
const mostRemarks = 100;

/**
 * Findings of the parser of a small language, moved from the text of a value to its position in the source:
 * through the quotes and escapes of the string around it.
 */
export function findingsInside(
  attribute: Attribute,
  diagnostics: readonly Diagnostic[],
  source: SourceText,
): readonly Finding[] {
  if (diagnostics.length === 0) return none;
  const listed = diagnostics.filter(({ severity }, index) => severity === 'error' || index < mostRemarks);
  const toSource = (span: Span) => spanInside(attribute, span, source);
  return listed.map(({ rule: _, ...finding }) => ({
    ...finding,
    span: toSource(finding.span),
    related: finding.related?.map((location) => ({ ...location, span: toSource(location.span) })),
    fix: finding.fix && {
      ...finding.fix,
      edits: finding.fix.edits.every((edit) => isUnchanged(attribute, edit.span, source))
        ? finding.fix.edits.map((edit) => ({ span: toSource(edit.span), text: escaped(edit.text) }))
        : [],
    },
  }));
}

const none: readonly Finding[] = [];

/** Span in the source of a part of a value's text; the whole value if it is computed. */
export function spanInside(attribute: Attribute, span: Span, source: SourceText): Span {
  if (!isWritten(attribute, source)) return valueSpanOf(attribute, source);
  return mapSpan(source.text, attribute.valueSpan, writtenSpan(span, attribute.insertions));
}

/** Span of a value in the source; for one that a stylesheet gives, in its declaration (§8.2). */
export function valueSpanOf({ valueSpan, declaredAt }: Attribute, source: SourceText): Span {
  if (declaredAt === undefined || valueSpan.end > source.text.length) return valueSpan;
  return mapSpan(source.text, valueSpan, declaredAt);
}

/** Text escaped for a quoted string (§2.2). */
function escaped(text: string): string {
  return text.replaceAll(/["\\]/g, '\\$&');
}

/** True if a part of a value is in the source unchanged. */
function isUnchanged(attribute: Attribute, span: Span, source: SourceText): boolean {
  const overlaps = ({ span: inserted }: Insertion): boolean =>
    inserted.start < span.end && span.start < inserted.end;
  return isWritten(attribute, source) && attribute.insertions?.some(overlaps) !== true;
}

/** True if the source has the value; the parts of a computed one have no position. */
export function isWritten({ origin, insertions, valueSpan }: Attribute, source: SourceText): boolean {
  const isAuthors = origin === 'explicit' || origin === 'default' || insertions !== undefined;
  return isAuthors && valueSpan.end <= source.text.length;
}

/** Span of the same part in the text as it was written; an insertion maps to the text that it replaced. */
function writtenSpan({ start, end }: Span, insertions: readonly Insertion[] | undefined): Span {
  if (insertions === undefined) return { start, end };
  let growth = 0;
  let writtenStart: number | undefined;
  for (const { span, writtenLength } of insertions) {
    if (start < span.end) writtenStart ??= Math.min(start, span.start) - growth;
    if (end <= span.start) return { start: writtenStart ?? start - growth, end: end - growth };
    if (end <= span.end)
      return { start: writtenStart ?? start - growth, end: span.start - growth + writtenLength };
    growth += span.end - span.start - writtenLength;
  }
  return { start: writtenStart ?? start - growth, end: end - growth };
}
