import { SemanticTokensBuilder } from 'vscode-languageserver/node';
import { semanticTokens, tokenModifiers } from '../../services/semantic-tokens.js';
import { tokenTypes } from '../../services/text/token-type.js';
import { rangeOf, spanOf } from '../convert.js';
import type { KnownText } from '../workspace/workspace.js';
import type { Feature } from './feature.js';

/** Colours of names, and of the languages inside texts. */
export const semanticTokensFeature: Feature = {
  capabilities: {
    semanticTokensProvider: {
      legend: { tokenTypes: [...tokenTypes], tokenModifiers: [...tokenModifiers] },
      full: true,
      range: true,
    },
  },
  register(session) {
    const { workspace } = session;
    const { semanticTokens: requests } = session.connection.languages;
    requests.on(({ textDocument }) => {
      const known = workspace.known(textDocument.uri);
      return known === undefined ? { data: [] } : encode(known, undefined);
    });
    requests.onRange(({ textDocument, range }) => {
      const known = workspace.known(textDocument.uri);
      return known === undefined ? { data: [] } : encode(known, spanOf(known.document, range));
    });
  },
};

/** A token must not cross the end of a line, so that one of several lines becomes several. */
function encode({ pipeline, document }: KnownText, range: Parameters<typeof semanticTokens>[1]) {
  const builder = new SemanticTokensBuilder();
  for (const { span, type, isDeclaration } of semanticTokens(pipeline, range)) {
    const { start, end } = rangeOf(document, span);
    for (let line = start.line; line <= end.line; line += 1) {
      const from = line === start.line ? start.character : 0;
      const lineEnd = document.offsetAt({ line, character: Number.MAX_SAFE_INTEGER });
      const to = line === end.line ? end.character : document.positionAt(lineEnd).character;
      if (to > from) builder.push(line, from, to - from, tokenTypes.indexOf(type), isDeclaration ? 1 : 0);
    }
  }
  return builder.build();
}
