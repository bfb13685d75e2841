import { DocumentHighlightKind, type Location } from 'vscode-languageserver/node';
import { definitionAt, type Place } from '../../services/definition.js';
import { highlightsAt } from '../../services/highlight.js';
import { referencesAt } from '../../services/references.js';
import { cancelled, rangeOf } from '../convert.js';
import type { Session } from '../session.js';
import type { Feature } from './feature.js';

/** Definition, references and the places of a name in a file. */
export const navigationFeature: Feature = {
  capabilities: { definitionProvider: true, referencesProvider: true, documentHighlightProvider: true },
  register(session) {
    const { connection, workspace } = session;
    connection.onDefinition((params) => {
      const at = session.at(params);
      const places = at === undefined ? [] : definitionAt(at.pipeline, at.offset, workspace);
      return places.flatMap((place) => locationOf(place, session));
    });
    connection.onReferences(async (params, token) => {
      if (!(await session.readWorkspace(token))) return cancelled;
      const at = session.at(params);
      const found = at === undefined ? [] : referencesAt(at.pipeline, at.offset, workspace);
      const { includeDeclaration } = params.context;
      return found
        .filter(({ mention: { role } }) => includeDeclaration || role !== 'declaration')
        .flatMap(({ uri, mention: { span } }) => locationOf({ uri, span }, session));
    });
    connection.onDocumentHighlight((params) => {
      const at = session.at(params);
      if (at === undefined) return [];
      return highlightsAt(at.pipeline, at.offset).map(({ span, role }) => ({
        range: rangeOf(at.document, span),
        kind:
          role === 'write' || role === 'declaration'
            ? DocumentHighlightKind.Write
            : DocumentHighlightKind.Read,
      }));
    });
  },
};

/** None for a file that cannot be read, except at its beginning: an editor may create it. */
function locationOf({ uri, span }: Place, { workspace }: Session): readonly Location[] {
  const document = workspace.document(uri);
  if (document !== undefined) return [{ uri, range: rangeOf(document, span) }];
  const start = { line: 0, character: 0 };
  return span.end === 0 ? [{ uri, range: { start, end: start } }] : [];
}
