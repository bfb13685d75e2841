import {
  LSPErrorCodes,
  type TextEdit as LspEdit,
  type Range,
  ResponseError,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { TextEdit } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';
import type { FileEdit } from '../services/text/file-edit.js';

/** Answer to a request that the editor has cancelled. */
export const cancelled = new ResponseError<void>(LSPErrorCodes.RequestCancelled, 'the request was cancelled');

/** Range of a span, in lines and UTF-16 units. */
export function rangeOf(document: TextDocument, { start, end }: Span): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) };
}

/** Span of a range; positions outside of the text are clamped to it. */
export function spanOf(document: TextDocument, { start, end }: Range): Span {
  const from = document.offsetAt(start);
  return { start: from, end: Math.max(from, document.offsetAt(end)) };
}

export function editOf(document: TextDocument, { span, text }: TextEdit): LspEdit {
  return { range: rangeOf(document, span), newText: text };
}

/**
 * Edits of several files.
 * @param documentOf text of a file by its URI; a file without one is left out
 */
export function workspaceEdit(
  edits: readonly FileEdit[],
  documentOf: (uri: string) => TextDocument | undefined,
): WorkspaceEdit {
  const changes: Record<string, LspEdit[]> = {};
  for (const edit of edits) {
    const document = documentOf(edit.uri);
    if (document === undefined) continue;
    changes[edit.uri] = [...(changes[edit.uri] ?? []), editOf(document, edit)];
  }
  return { changes };
}
