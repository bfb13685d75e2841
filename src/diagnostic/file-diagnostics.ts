import type { Diagnostic } from './diagnostic.js';
import type { SourceText } from './source.js';

/** The findings about one text; what a renderer shows is a list of these, one a file. */
export interface FileDiagnostics {
  readonly source: SourceText;
  readonly diagnostics: readonly Diagnostic[];
}
