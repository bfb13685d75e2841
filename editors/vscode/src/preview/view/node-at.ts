import { statementsIn } from '../../../../../src/lsp/services/text/attributes-in.js';
import type { DotDocument } from '../../../../../src/parser/dot/ast.js';

/** Id of the node that a cursor is at: on its id in an edge, or anywhere in its statement; undefined elsewhere. */
export function nodeAt(document: DotDocument, offset: number): string | undefined {
  for (const { statement } of statementsIn(document)) {
    if (offset < statement.span.start || offset > statement.span.end) continue;
    if (statement.kind === 'node') return statement.id.name;
    if (statement.kind === 'edge')
      return statement.chain.find(({ span }) => offset >= span.start && offset <= span.end)?.name;
  }
  return undefined;
}
