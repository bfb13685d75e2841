import { InlayHintKind } from 'vscode-languageserver/node';
import { documentLinks } from '../../services/document-links.js';
import { inlayHints } from '../../services/inlay-hints.js';
import { signatureAt } from '../../services/signature-help.js';
import { rangeOf, spanOf } from '../convert.js';
import type { Feature } from './feature.js';

/** Words and links that an editor shows in a text: hints at nodes, forms of comparisons, files. */
export const hintsFeature: Feature = {
  capabilities: {
    inlayHintProvider: true,
    documentLinkProvider: { resolveProvider: false },
    signatureHelpProvider: { triggerCharacters: [' ', '=', '<', '>', '['], retriggerCharacters: [','] },
  },
  register(session) {
    const { connection, workspace } = session;
    connection.languages.inlayHint.on(({ textDocument, range }) => {
      const known = workspace.known(textDocument.uri);
      if (known === undefined || !session.settings.inlayHints) return [];
      return inlayHints(known.pipeline, spanOf(known.document, range)).map(
        ({ offset, text, explanation }) => ({
          position: known.document.positionAt(offset),
          label: text,
          kind: InlayHintKind.Type,
          tooltip: explanation,
          paddingLeft: true,
        }),
      );
    });
    connection.onDocumentLinks(({ textDocument }) => {
      const known = workspace.known(textDocument.uri);
      if (known === undefined) return [];
      return documentLinks(known.pipeline).map(({ span, target }) => ({
        range: rangeOf(known.document, span),
        target,
      }));
    });
    connection.onSignatureHelp((params) => {
      const at = session.at(params);
      const signature = at && signatureAt(at.pipeline, at.offset);
      if (signature === undefined) return null;
      const { label, explanation, parameters, active } = signature;
      return {
        signatures: [
          {
            label,
            documentation: explanation,
            parameters: parameters.map((parameter) => ({ label: parameter })),
          },
        ],
        activeSignature: 0,
        activeParameter: active,
      };
    });
  },
};
