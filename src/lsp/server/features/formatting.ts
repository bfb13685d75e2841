import { formatEdits, formatTyped, formattingCharacters } from '../../services/format/format-edits.js';
import { editOf, spanOf } from '../convert.js';
import type { Feature } from './feature.js';

const [firstCharacter, ...moreCharacters] = formattingCharacters;

export const formattingFeature: Feature = {
  capabilities: {
    documentFormattingProvider: true,
    documentRangeFormattingProvider: true,
    documentOnTypeFormattingProvider: {
      firstTriggerCharacter: firstCharacter,
      moreTriggerCharacter: [...moreCharacters],
    },
  },
  register(session) {
    const { connection, workspace } = session;
    connection.onDocumentFormatting(({ textDocument }) => {
      const known = workspace.known(textDocument.uri);
      return known === undefined
        ? null
        : formatEdits(known.pipeline).map((edit) => editOf(known.document, edit));
    });
    connection.onDocumentRangeFormatting(({ textDocument, range }) => {
      const known = workspace.known(textDocument.uri);
      if (known === undefined) return null;
      const edits = formatEdits(known.pipeline, spanOf(known.document, range));
      return edits.map((edit) => editOf(known.document, edit));
    });
    connection.onDocumentOnTypeFormatting((params) => {
      const at = session.at(params);
      return at === undefined
        ? null
        : formatTyped(at.pipeline, at.offset).map((edit) => editOf(at.document, edit));
    });
  },
};
