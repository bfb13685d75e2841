import { CompletionItemKind, type CompletionList, InsertTextFormat } from 'vscode-languageserver/node';
import { completeAt } from '../../services/completion/complete.js';
import type { SuggestionKind } from '../../services/completion/suggestion.js';
import { rangeOf } from '../convert.js';
import type { Feature } from './feature.js';

export const completionFeature: Feature = {
  capabilities: {
    completionProvider: { triggerCharacters: ['[', '=', '"', '.', '{', '>', ',', ' ', '#', '$', '/', ':'] },
  },
  register(session) {
    session.connection.onCompletion((params): CompletionList => {
      const at = session.at(params);
      const facts = session.facts(params.textDocument.uri);
      const found = at && completeAt(at.pipeline, at.offset, facts, session.workspace);
      if (at === undefined || found === undefined) return { isIncomplete: false, items: [] };
      const range = rangeOf(at.document, { start: found.from, end: at.offset });
      const items = found.suggestions.map(({ label, kind, detail, info, insert = label }, index) => ({
        label,
        kind: kinds[kind],
        detail,
        documentation: info,
        // As it is listed: the order says what is likely.
        sortText: String(index).padStart(5, '0'),
        filterText: label,
        insertTextFormat: InsertTextFormat.PlainText,
        textEdit: { range, newText: insert },
      }));
      return { isIncomplete: false, items };
    });
  },
};

const kinds: Readonly<Record<SuggestionKind, CompletionItemKind>> = {
  attribute: CompletionItemKind.Property,
  value: CompletionItemKind.EnumMember,
  node: CompletionItemKind.Variable,
  keyword: CompletionItemKind.Keyword,
  key: CompletionItemKind.Field,
  handler: CompletionItemKind.Class,
  operator: CompletionItemKind.Operator,
  class: CompletionItemKind.Color,
  file: CompletionItemKind.File,
  model: CompletionItemKind.Constant,
};
