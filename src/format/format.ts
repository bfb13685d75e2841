import { type Diagnostic, hasErrors } from '../diagnostic/diagnostic.js';
import type { DotGraph } from '../parser/dot/ast.js';
import { parseDot } from '../parser/dot/parse.js';
import { readGap } from './gap.js';
import { divide, type Page, printLeading, printTrailing } from './page.js';
import { printBody } from './statements.js';

export interface FormatResult {
  /** Missing if the text has syntax errors: a text that cannot be read in full cannot be printed in full. */
  readonly text?: string;
  /** The findings of the parser. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Prints a pipeline in its one canonical form (DESIGN §5, SEMANTICS 98), which Graphviz reads too: with all its comments,
 * and with the same graph but for blanks in its stylesheet. Formatting twice is formatting once. Never throws on a text;
 * time and memory are linear in its length.
 */
export function format(text: string): FormatResult {
  const { document, diagnostics } = parseDot(text);
  if (document.graph === undefined || hasErrors(diagnostics)) return { diagnostics };
  const page: Page = { source: text, lines: [], lineEnd: lineEndOf(text) };
  printDocument(page, document.graph);
  return { text: page.lines.join(page.lineEnd) + page.lineEnd, diagnostics };
}

function printDocument(page: Page, { name, statements, span }: DotGraph): void {
  const before = readGap(page.source, 0, span.start);
  const prefix = printLeading(page, before.remarks, { indent: '', isFirst: true });
  if (before.endsInBlankLine && prefix === '' && before.remarks.length > 0) page.lines.push('');
  page.lines.push(`${prefix}digraph ${name.name} `);
  const moved = readGap(page.source, span.start + 'digraph'.length, name.span.start).remarks;
  const from = name.span.end;
  printBody(page, { statements, owner: 'pipeline', from, to: span.end, moved }, '');
  const { remarks } = readGap(page.source, span.end, page.source.length);
  const { trailing, leading } = divide(remarks, true);
  printTrailing(page, trailing, '');
  const rest = printLeading(page, leading, { indent: '', isFirst: false });
  if (rest !== '') page.lines.push(rest.trimEnd());
}

/** Lines end as the first one does. */
function lineEndOf(text: string): Page['lineEnd'] {
  const feed = text.indexOf('\n');
  return feed > 0 && text[feed - 1] === '\r' ? '\r\n' : '\n';
}
