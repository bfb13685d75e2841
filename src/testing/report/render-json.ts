import { printableJson } from '../../diagnostic/printable.js';
import { type FileResult, isPassed } from '../run-cases.js';

/** Results as one JSON object. @param more what else a call has asked for, by its name */
export function renderJson(
  files: readonly FileResult[],
  more: Readonly<Record<string, unknown>> = {},
): string {
  const all = files.flatMap(({ cases }) => cases);
  const failed = all.filter((one) => !isPassed(one)).length;
  const result = {
    passed: all.length - failed,
    failed,
    unusable: files.filter(({ diagnostics }) => diagnostics.length > 0).length,
    files: files.map(fileJson),
    ...more,
  };
  return `${printableJson(JSON.stringify(result, null, 2))}\n`;
}

function fileJson({ read: { source }, pipeline, diagnostics, cases }: FileResult) {
  return {
    file: source.name,
    pipeline,
    diagnostics: diagnostics.map(({ rule, code, message, span }) => {
      const { line, column } = source.positionAt(span.start);
      return { rule, code, message, line, column };
    }),
    cases: cases.map((one) => ({
      name: one.name,
      generated: one.generated,
      passed: isPassed(one),
      duration_ms: Math.round(one.duration * 1000) / 1000,
      status: one.seen.status,
      reason: one.seen.reason ?? null,
      path: one.seen.path,
      mismatches: one.mismatches.map(({ place, message, diff, span }) => ({
        expectation: place.map(String).join('.'),
        message,
        diff: diff ?? null,
        ...source.positionAt(span.start),
      })),
    })),
  };
}
