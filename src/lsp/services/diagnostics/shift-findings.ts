import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import type { Span } from '../../../diagnostic/source.js';

/** Replacement in a text: the span before it, and the length of the new text. */
export interface Change {
  readonly span: Span;
  readonly length: number;
}

/**
 * Findings of an earlier text at their places in a changed one, until it is judged again. A finding in changed text is dropped, and
 * so is a fix, which was checked for the earlier text.
 */
export function shiftFindings(findings: readonly Diagnostic[], change: Change): readonly Diagnostic[] {
  return findings.flatMap((finding): readonly Diagnostic[] => {
    const span = shiftSpan(finding.span, change);
    if (span === undefined) return [];
    const related = (finding.related ?? []).flatMap((one) => {
      const place = one.source === undefined ? shiftSpan(one.span, change) : one.span;
      return place === undefined ? [] : [{ ...one, span: place }];
    });
    return [{ ...finding, span, related, fix: undefined }];
  });
}

function shiftSpan({ start, end }: Span, { span, length }: Change): Span | undefined {
  if (end <= span.start) return { start, end };
  if (start < span.end) return undefined;
  const by = length - (span.end - span.start);
  return { start: start + by, end: end + by };
}
