import {
  DiagnosticSeverity,
  DiagnosticTag,
  type Diagnostic as LspDiagnostic,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { type Diagnostic, findingKind } from '../../diagnostic/diagnostic.js';
import { shownSpan } from '../services/diagnostics/shown-span.js';
import { tagOf } from '../services/diagnostics/tag-of.js';
import { rangeOf } from './convert.js';
import type { Session } from './session.js';
import { uriOf } from './workspace/workspace.js';

const severities = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
} as const;

const tags = {
  unnecessary: DiagnosticTag.Unnecessary,
  deprecated: DiagnosticTag.Deprecated,
} as const;

/** A finding for an editor, with its remedy in words if it has no edits. */
export function diagnosticOf(
  finding: Diagnostic,
  document: TextDocument,
  { client }: Session,
): LspDiagnostic {
  const { message, severity, span, fix, quiet } = finding;
  const tag = tagOf(finding.rule);
  const advice = fix !== undefined && fix.edits.length === 0 ? `\n${fix.title}` : '';
  return {
    range: rangeOf(document, shownSpan(document.getText(), span)),
    message: `${message}${advice}`,
    severity: quiet ? DiagnosticSeverity.Hint : severities[severity],
    code: findingKind(finding),
    source: 'attractor',
    tags: tag === undefined ? undefined : [tags[tag]],
    relatedInformation: client.textDocument?.publishDiagnostics?.relatedInformation
      ? relatedOf(finding, document)
      : undefined,
  };
}

function relatedOf({ related }: Diagnostic, document: TextDocument) {
  return related?.map(({ span, message, source }) => {
    const place =
      source === undefined ? document : TextDocument.create(uriOf(source.name), 'dot', 0, source.text);
    return { location: { uri: place.uri, range: rangeOf(place, span) }, message };
  });
}
