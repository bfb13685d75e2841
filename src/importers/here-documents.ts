import type { Span } from '../diagnostic/source.js';
import { parseShellTemplate } from '../parser/template/parse-shell.js';

/**
 * Command in which values reach the text of here-documents. In `<<'EOF'` the shell expands nothing, and a value would be
 * refused there: such a delimiter loses its quotes, and whatever the shell would then expand is escaped.
 */
export function unquoteHereDocuments(command: string): string {
  if (!command.includes('<<')) return command;
  const refused = parseShellTemplate(command).parts.flatMap((part) =>
    part.kind === 'refused' && part.place === 'quoted_here_document' ? [part.span] : [],
  );
  if (refused.length === 0) return command;
  let text = '';
  let copied = 0;
  for (const { quoted, delimiter, body } of quotedDocuments(command)) {
    const inside = refused.filter(({ start }) => body.start <= start && start < body.end);
    if (inside.length === 0 || quoted.start < copied) continue;
    text += command.slice(copied, quoted.start) + delimiter;
    text += command.slice(quoted.end, body.start) + escapedExcept(command, body, inside);
    copied = body.end;
  }
  return text + command.slice(copied);
}

interface QuotedDocument {
  /** Delimiter with its quotes, after `<<`. */
  readonly quoted: Span;
  readonly delimiter: string;
  readonly body: Span;
}

function quotedDocuments(command: string): readonly QuotedDocument[] {
  const found: QuotedDocument[] = [];
  for (const match of command.matchAll(/<<(-?)[ \t]*(['"])(\w+)\2/g)) {
    const [whole, dash, , delimiter = ''] = match;
    const lineEnd = command.indexOf('\n', match.index);
    if (lineEnd === -1) continue;
    const last = new RegExp(`^${dash === '' ? '' : '\\t*'}${delimiter}$`, 'm');
    const length = command.slice(lineEnd + 1).search(last);
    const end = match.index + whole.length;
    found.push({
      quoted: { start: end - delimiter.length - 2, end },
      delimiter,
      body: { start: lineEnd + 1, end: length === -1 ? command.length : lineEnd + 1 + length },
    });
  }
  return found;
}

/** Text that an unquoted here-document has as it is, but for the values. */
function escapedExcept(command: string, body: Span, values: readonly Span[]): string {
  let text = '';
  let copied = body.start;
  for (const { start, end } of values) {
    text += escaped(command.slice(copied, start)) + command.slice(start, end);
    copied = end;
  }
  return text + escaped(command.slice(copied, body.end));
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`$]/g, '\\$&');
}
