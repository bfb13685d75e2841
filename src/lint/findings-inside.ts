import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { SourceText, Span } from '../diagnostic/source.js';
import type { Attribute } from '../graph/graph.js';
import { mapSpan } from '../parser/dot/string.js';
import type { Finding } from './rule.js';

/** How many remarks about one string are reported, so that hostile input takes linear time; errors always are. */
const mostRemarks = 100;

/**
 * The findings of the parser of a small language, moved from the text of a value to its place in the source: through the
 * quotes and escapes of the string around it.
 */
export function findingsInside(
  attribute: Attribute,
  diagnostics: readonly Diagnostic[],
  source: SourceText,
): readonly Finding[] {
  const shown = diagnostics.filter(({ severity }, index) => severity === 'error' || index < mostRemarks);
  const toSource = (span: Span) => spanInside(attribute, span, source);
  return shown.map(({ rule: _, ...finding }) => ({
    ...finding,
    span: toSource(finding.span),
    ...(finding.related && {
      related: finding.related.map((place) => ({ ...place, span: toSource(place.span) })),
    }),
    ...(finding.fix && {
      fix: {
        title: finding.fix.title,
        edits: isWritten(attribute, source)
          ? finding.fix.edits.map((edit) => ({ span: toSource(edit.span), text: escaped(edit.text) }))
          : [],
      },
    }),
  }));
}

/** The text as it has to stand inside of quotes (§2.2). */
function escaped(text: string): string {
  return text.replaceAll(/["\\]/g, '\\$&');
}

function spanInside(attribute: Attribute, span: Span, source: SourceText): Span {
  return isWritten(attribute, source) ? mapSpan(source.text, attribute.valueSpan, span) : attribute.valueSpan;
}

/** Whether the source has the value as it stands; a computed one has no place of its own for each of its parts. */
function isWritten(attribute: Attribute, source: SourceText): boolean {
  const isAuthors = attribute.origin === 'explicit' || attribute.origin === 'default';
  return isAuthors && attribute.valueSpan.end <= source.text.length;
}
