import type { ShellPart, ShellTemplate } from './ast.js';
import type { Reference } from './reference.js';
import type { ShellPosition } from './reference-reporter.js';
import { scanShell } from './shell-scanner.js';

/**
 * Finds the values in a shell command, and their quoting (SEMANTICS §12). `$${path}` is the text `${path}`
 * here too; every other `$$` is the shell's, and so is a backslash: `\${context.x}` is left alone. Never
 * throws.
 */
export function parseShellTemplate(text: string): ShellTemplate {
  const parts: ShellPart[] = [];
  let literal = '';
  let literalStart = 0;
  let position = 0;
  const endLiteral = (end: number): void => {
    literal += text.slice(position, end);
    if (end > literalStart) {
      parts.push({ kind: 'literal', text: literal, span: { start: literalStart, end } });
    }
    literal = '';
  };
  scanShell(text, (reference, place) => {
    const { span } = reference;
    const dollar = dollarSign(reference, place);
    if (dollar !== undefined) {
      literal += text.slice(position, span.start) + dollar;
      position = span.start + 2;
      return;
    }
    endLiteral(span.start);
    parts.push(partOf(text, reference, place));
    position = span.end;
    literalStart = span.end;
  });
  endLiteral(text.length);
  return { text, parts };
}

/** Spelling of the dollar sign of `$${…}`; undefined for a value, or if there is no way to write it. */
function dollarSign({ kind }: Reference, place: ShellPosition): string | undefined {
  if (kind !== 'escaped') return undefined;
  switch (place) {
    case 'unquoted':
    case 'double':
      return '\\$';
    case 'single':
    case 'quoted_here_document':
    case 'ansi_string':
      return '$';
    case 'arithmetic':
    case 'here_document_delimiter':
    case 'parameter_expansion':
    case 'backticks':
    case 'unclear':
      return undefined;
  }
}

function partOf(text: string, { kind, path, span }: Reference, place: ShellPosition): ShellPart {
  if (kind === 'malformed') return { kind, text: text.slice(span.start, span.end), span };
  switch (place) {
    case 'unquoted':
    case 'double':
    case 'single':
      return { kind: 'value', path, span, quoting: place };
    case 'arithmetic':
      return kind === 'value'
        ? { kind, path, span, quoting: place }
        : { kind: 'refused', path, span, place: 'unclear' };
    case 'quoted_here_document':
    case 'here_document_delimiter':
    case 'ansi_string':
    case 'parameter_expansion':
    case 'backticks':
    case 'unclear':
      return { kind: 'refused', path, span, place };
  }
}
