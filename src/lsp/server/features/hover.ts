import { MarkupKind } from 'vscode-languageserver/node';
import type { Hover } from '../../services/hover/hover.js';
import { hoverAt } from '../../services/hover/hover-at.js';
import { rangeOf } from '../convert.js';
import type { Session } from '../session.js';
import type { Feature } from './feature.js';

export const hoverFeature: Feature = {
  capabilities: { hoverProvider: true },
  register(session) {
    session.connection.onHover((params) => {
      const at = session.at(params);
      const hover =
        at && hoverAt(at.pipeline, at.offset, session.facts(params.textDocument.uri), session.workspace);
      if (at === undefined || hover === undefined) return null;
      return { contents: contentOf(hover, session), range: rangeOf(at.document, hover.span) };
    });
  },
};

function contentOf({ title, text, details = [] }: Hover, { client }: Session) {
  const formats = client.textDocument?.hover?.contentFormat ?? [];
  if (!formats.includes(MarkupKind.Markdown))
    return {
      kind: MarkupKind.PlainText,
      value: [title, text, ...details].filter((line) => line !== '').join('\n'),
    };
  const parts = [
    `**${escapeMarkdown(title)}**`,
    markdownText(text),
    details.map((line) => `- ${markdownText(line)}`).join('\n'),
  ];
  return { kind: MarkupKind.Markdown, value: parts.filter((part) => part !== '').join('\n\n') };
}

/** Words of the documentation have code in backquotes, which stays; the rest is escaped. */
function markdownText(text: string): string {
  return text
    .split(/(`[^`\n]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : escapeMarkdown(part)))
    .join('');
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\*_<>#|[\]]/g, '\\$&');
}
