import { Chalk, type ChalkInstance } from 'chalk';
import { codeFrame, type FrameRow } from './code-frame.js';
import { counted } from './counted.js';
import type { Diagnostic, Severity } from './diagnostic.js';
import type { FileDiagnostics } from './file-diagnostics.js';
import { printable } from './printable.js';
import type { SourceText } from './source.js';

export interface PrettyOptions {
  readonly color: boolean;
  /** Width of the terminal, in columns. */
  readonly width?: number;
}

type Paint = (text: string) => string;

/** Maximum of diagnostics shown for a file: the worst are chosen; JSON has them all. */
const shownOfFile = 1000;
const worstFirst: readonly Severity[] = ['error', 'warning', 'info'];
const defaultWidth = 100;
const narrowest = 40;

/**
 * Diagnostics for a person at a terminal: position, message, the line with marks below it, related
 * positions, and the remedy. Every diagnostic ends with an empty line; without any the text is empty. A
 * file with thousands shows the worst.
 */
export function renderPretty(files: readonly FileDiagnostics[], options: PrettyOptions): string {
  const chalk = new Chalk({ level: options.color ? 1 : 0 });
  const width = Math.max(narrowest, options.width ?? defaultWidth);
  const blocks = files.flatMap(({ source, diagnostics }) => {
    const shown = worstOf(diagnostics);
    return [
      ...shown.map((diagnostic) => renderOne(diagnostic, source, chalk, width)),
      ...restOf(source.name, diagnostics.length - shown.length, chalk),
    ];
  });
  return blocks.join('');
}

/** Worst diagnostics, in the order of the text; among equals the first ones. */
function worstOf(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (diagnostics.length <= shownOfFile) return diagnostics;
  const worst = worstFirst.flatMap((wanted) => diagnostics.filter(({ severity }) => severity === wanted));
  const shown = new Set(worst.slice(0, shownOfFile));
  return diagnostics.filter((diagnostic) => shown.has(diagnostic));
}

function restOf(name: string, count: number, chalk: ChalkInstance): readonly string[] {
  if (count === 0) return [];
  return [
    `${chalk.bold(`${printable(name)}:`)} and ${counted(count, 'other finding')}: \`attractor lint --format json\` lists all\n\n`,
  ];
}

function renderOne(diagnostic: Diagnostic, source: SourceText, chalk: ChalkInstance, width: number): string {
  const paint = severityPaint(chalk, diagnostic.severity);
  const related = diagnostic.related ?? [];
  const lastLine = [diagnostic, ...related]
    .map(({ span }) => source.positionAt(span.end).line)
    .reduce((one, other) => Math.max(one, other));
  const gutter = String(lastLine).length;
  const frame = (span: Diagnostic['span'], mark: string, markPaint: Paint) =>
    codeFrame(source, span, width - gutter - 3).flatMap((row) =>
      frameRow(row, gutter, mark, chalk.dim, markPaint),
    );
  const note = (title: string, text: string) =>
    `${' '.repeat(gutter)} ${chalk.dim('=')} ${chalk.bold(`${title}:`)} ${printable(text)}`;

  const lines = [
    header(diagnostic, source, chalk, paint),
    ...frame(diagnostic.span, '^', paint),
    ...related.flatMap((place) => [
      note('note', `${place.message} (${positionText(source, place.span.start)})`),
      ...frame(place.span, '-', chalk.cyan),
    ]),
    ...(diagnostic.fix === undefined ? [] : [note('help', diagnostic.fix.title)]),
  ];
  return `${lines.join('\n')}\n\n`;
}

function header(
  { rule, code, severity, message, span }: Diagnostic,
  source: SourceText,
  chalk: ChalkInstance,
  paint: Paint,
): string {
  const kind = code === undefined ? rule : `${rule}/${code}`;
  return `${chalk.bold(`${positionText(source, span.start)}:`)} ${chalk.bold(paint(`${severity}[${kind}]`))}${chalk.bold(`: ${printable(message)}`)}`;
}

function positionText(source: SourceText, offset: number): string {
  const { line, column } = source.positionAt(offset);
  return `${printable(source.name)}:${line}:${column}`;
}

function frameRow(row: FrameRow, gutter: number, mark: string, dim: Paint, paint: Paint): readonly string[] {
  if (row.kind === 'gap') return [dim(`${'.'.repeat(gutter)} |`)];
  const source = `${dim(`${String(row.number).padStart(gutter)} |`)} ${row.text}`;
  const marks = `${dim(`${' '.repeat(gutter)} |`)} ${' '.repeat(row.markStart)}${paint(mark.repeat(row.markWidth))}`;
  return [source.trimEnd(), marks];
}

function severityPaint(chalk: ChalkInstance, severity: Severity): ChalkInstance {
  switch (severity) {
    case 'error':
      return chalk.red;
    case 'warning':
      return chalk.yellow;
    case 'info':
      return chalk.blue;
  }
}
