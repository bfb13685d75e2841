import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { SyntaxCode } from './syntax-codes.js';

/** Mistakes after which the syntax tree may lack a part of the text; the parser reads past the others. */
const lossyCodes: ReadonlySet<string> = new Set<SyntaxCode>([
  ...(['binary_input', 'second_graph', 'trailing_text', 'too_many_errors'] as const),
  ...(['missing_source', 'missing_target', 'edge_to_subgraph', 'wrong_arrow'] as const),
  ...(['missing_brace', 'unmatched_brace', 'nesting_limit', 'size_limit'] as const),
  ...(['misplaced_attributes', 'unclosed_bracket'] as const),
  ...(['unterminated_string', 'unterminated_comment', 'unexpected_character', 'unexpected_token'] as const),
]);

/** True if a part of the text could not be read, so that something missing in the tree may be in the text. */
export function losesText(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ code }) => code !== undefined && lossyCodes.has(code));
}
