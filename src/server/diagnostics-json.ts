import type { Diagnostic } from '../diagnostic/diagnostic.js';
import { diagnosticToJson } from '../diagnostic/render-json.js';
import type { SourceText } from '../diagnostic/source.js';
import type { DiagnosticJson } from './api/problem.js';

/** Findings as answers have them. */
export function diagnosticsJson(
  diagnostics: readonly Diagnostic[],
  source: SourceText,
): readonly DiagnosticJson[] {
  return diagnostics.map((one) => {
    const { edge, ...json } = diagnosticToJson(one, source);
    return { ...json, edge: edge && ([edge[0], edge[1]] satisfies [string, string]) };
  });
}
