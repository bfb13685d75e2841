import type { Diagnostic } from './diagnostic.js';
import type { SourceText } from './source.js';

/** Findings about one text; renderers take a list of these, one for each file. */
export interface FileDiagnostics {
  readonly source: SourceText;
  readonly diagnostics: readonly Diagnostic[];
}
