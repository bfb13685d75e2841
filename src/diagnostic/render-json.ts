import {
  countDiagnostics,
  type Diagnostic,
  type Fix,
  type RelatedLocation,
  type TextEdit,
} from './diagnostic.js';
import type { FileDiagnostics } from './file-diagnostics.js';
import { printableJson } from './printable.js';
import type { SourceText, Span } from './source.js';

/**
 * Diagnostics for programs: the output of `lint --format json`. Optional keys are left out if they have no
 * value.
 */
export function renderJson(files: readonly FileDiagnostics[]): string {
  const summary = countDiagnostics(files.flatMap((file) => file.diagnostics));
  const diagnostics = files.flatMap(({ source, diagnostics: found }) =>
    found.map((diagnostic) => diagnosticToJson(diagnostic, source)),
  );
  return `${printableJson(JSON.stringify({ diagnostics, summary }, undefined, 2))}\n`;
}

/** One diagnostic in the form of `lint --format json` (DESIGN §5). */
export function diagnosticToJson(diagnostic: Diagnostic, source: SourceText) {
  const {
    rule,
    code,
    severity,
    message,
    span,
    nodeId,
    edge,
    related = [],
    fix,
    witness,
    unproved,
  } = diagnostic;
  return {
    rule,
    code,
    severity,
    message,
    file: source.name,
    ...lineRange(span, source),
    node_id: nodeId,
    edge,
    related: related.length === 0 ? undefined : related.map((one) => relatedToJson(one, source)),
    fix: fix && fixToJson(fix, source),
    witness,
    unproved,
  };
}

function relatedToJson({ message, span, source: text }: RelatedLocation, source: SourceText) {
  const { name } = text ?? source;
  return { message, file: name, ...lineRange(span, text ?? source) };
}

function fixToJson({ title, edits, unsafe }: Fix, source: SourceText) {
  return { title, edits: edits.map((edit) => editToJson(edit, source)), unsafe: unsafe || undefined };
}

function editToJson({ span, text }: TextEdit, source: SourceText) {
  return { ...lineRange(span, source), text };
}

/** Span as lines and columns from 1, the end after the last character. */
export function lineRange(span: Span, source: SourceText) {
  const start = source.positionAt(span.start);
  const end = source.positionAt(span.end);
  return { line: start.line, column: start.column, end_line: end.line, end_column: end.column };
}
