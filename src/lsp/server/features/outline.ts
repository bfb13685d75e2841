import {
  FoldingRangeKind,
  type DocumentSymbol as LspSymbol,
  type SelectionRange,
  SymbolKind,
  type WorkspaceSymbol,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import {
  type DocumentSymbol,
  documentSymbols,
  flatSymbols,
  matchesQuery,
} from '../../services/document-symbols.js';
import { foldingRanges } from '../../services/folding-ranges.js';
import { selectionRanges } from '../../services/selection-ranges.js';
import { rangeOf } from '../convert.js';
import type { Feature } from './feature.js';

/** Maximum of symbols in an answer about the whole workspace. */
const mostSymbols = 500;

/** Outline, symbols of the workspace, folds and growing selections. */
export const outlineFeature: Feature = {
  capabilities: {
    documentSymbolProvider: true,
    workspaceSymbolProvider: true,
    foldingRangeProvider: true,
    selectionRangeProvider: true,
  },
  register(session) {
    const { connection, workspace } = session;
    connection.onDocumentSymbol(({ textDocument }) => {
      const known = workspace.known(textDocument.uri);
      return known === undefined
        ? []
        : documentSymbols(known.pipeline).map((one) => symbolOf(one, known.document));
    });
    connection.onWorkspaceSymbol(async ({ query }, token) => {
      const found: WorkspaceSymbol[] = [];
      for (const uri of workspace.uris()) {
        if (found.length >= mostSymbols || !(await session.breathe(token))) break;
        const known = workspace.known(uri);
        if (known === undefined) continue;
        const symbols = flatSymbols(documentSymbols(known.pipeline));
        for (const { name, kind, nameSpan } of symbols.filter((one) => matchesQuery(one.name, query)))
          found.push({
            name,
            kind: kinds[kind],
            location: { uri, range: rangeOf(known.document, nameSpan) },
          });
      }
      return found.slice(0, mostSymbols);
    });
    connection.onFoldingRanges(({ textDocument }) => {
      const known = workspace.known(textDocument.uri);
      if (known === undefined) return [];
      return foldingRanges(known.pipeline).map(({ span, kind }) => {
        const { start, end } = rangeOf(known.document, span);
        const isComment = kind === 'comment';
        return {
          startLine: start.line,
          endLine: end.line,
          kind: isComment ? FoldingRangeKind.Comment : undefined,
        };
      });
    });
    connection.onSelectionRanges(({ textDocument, positions }) => {
      const known = workspace.known(textDocument.uri);
      if (known === undefined) return [];
      const { document, pipeline } = known;
      return positions.map((position) => {
        const spans = selectionRanges(pipeline, document.offsetAt(position));
        const [outer, ...inner] = [...spans].reverse().map((span) => rangeOf(document, span));
        const whole: SelectionRange = { range: outer ?? { start: position, end: position } };
        return inner.reduce((parent: SelectionRange, range) => ({ range, parent }), whole);
      });
    });
  },
};

const kinds: Readonly<Record<DocumentSymbol['kind'], SymbolKind>> = {
  pipeline: SymbolKind.Module,
  subgraph: SymbolKind.Namespace,
  node: SymbolKind.Function,
};

function symbolOf(
  { name, detail, kind, span, nameSpan, children }: DocumentSymbol,
  document: TextDocument,
): LspSymbol {
  return {
    name,
    detail,
    kind: kinds[kind],
    range: rangeOf(document, span),
    selectionRange: rangeOf(document, nameSpan),
    children: children.map((child) => symbolOf(child, document)),
  };
}
