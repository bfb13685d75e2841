import { Chalk, type ChalkInstance } from 'chalk';
import { codeFrame, type FrameRow } from './code-frame.js';
import { type Diagnostic, findingKind, type RelatedLocation } from './diagnostic.js';
import type { FileDiagnostics } from './file-diagnostics.js';
import { type FindingGroup, groupFindings } from './group-findings.js';
import { listLines } from './list-lines.js';
import { printable } from './printable.js';
import { severityPaint } from './severity-paint.js';
import type { SourceText } from './source.js';
import { wrapColumns } from './text-columns.js';

export interface PrettyOptions {
  readonly color: boolean;
  /** Width of the terminal, in columns: texts are wrapped to it. Without one, each text is one line. */
  readonly width?: number;
  /** Shows every finding in full, however many share a cause, and quiet ones too. */
  readonly verbose?: boolean;
  /** Numbers the findings that a run shows, for `lint --explain-finding`. */
  readonly showsProofs?: boolean;
}

type Paint = (text: string) => string;

interface Style {
  readonly chalk: ChalkInstance;
  /** Width of code frames and of lists of lines. */
  readonly width: number;
  /** False if texts stay on one line, for a reader that is a program. */
  readonly wraps: boolean;
}

const defaultWidth = 100;
const narrowest = 40;

/**
 * Diagnostics for a person at a terminal: position, message, the line with marks below it, related
 * positions, and the remedy. Every diagnostic ends with an empty line; without any the text is empty. Of many with the same
 * cause the first ones are shown, and the lines of the others.
 */
export function renderPretty(files: readonly FileDiagnostics[], options: PrettyOptions): string {
  const { width, verbose = false, showsProofs = false } = options;
  const style: Style = {
    chalk: new Chalk({ level: options.color ? 1 : 0 }),
    width: Math.max(narrowest, width ?? defaultWidth),
    wraps: width !== undefined,
  };
  if (verbose)
    return files
      .flatMap(({ source, diagnostics }) =>
        diagnostics.map((one, index) =>
          renderOne(one, source, style, { proof: showsProofs ? proofText(one, index + 1) : undefined }),
        ),
      )
      .join('');
  const shownBefore = new Map<string, number>();
  return files
    .map((file) => renderFile(file.source, groupFindings(file.diagnostics, shownBefore), style))
    .join('');
}

/** Groups of a file; their shown findings are in the order of the text. */
function renderFile(source: SourceText, groups: readonly FindingGroup[], style: Style): string {
  return groups
    .flatMap(({ shown, rest, isBrief }) =>
      shown.map((diagnostic, index) => ({
        diagnostic,
        rest: index === shown.length - 1 ? rest : [],
        isBrief,
      })),
    )
    .sort((one, other) => one.diagnostic.span.start - other.diagnostic.span.start)
    .map(({ diagnostic, rest, isBrief }) => renderOne(diagnostic, source, style, { rest, isBrief }))
    .join('');
}

/**
 * Proof of a finding in words, with its number in its file, by which `--explain-finding` finds it; undefined for
 * one that needs none.
 */
function proofText({ witness, unproved }: Diagnostic, number: number): string | undefined {
  if (witness !== undefined)
    return `\`--explain-finding ${number}\` prints the script of a run in which this happens`;
  return unproved
    ? 'the search for a run in which this happens was given up; the finding follows from the graph alone'
    : undefined;
}

interface Extent {
  /** Findings of the same cause that are not shown. */
  readonly rest?: readonly Diagnostic[];
  /** Leaves out everything but the message. */
  readonly isBrief?: boolean;
  readonly proof?: string | undefined;
}

function renderOne(
  diagnostic: Diagnostic,
  source: SourceText,
  style: Style,
  { rest = [], isBrief = false, proof }: Extent,
): string {
  const { chalk, width } = style;
  const paint = severityPaint(chalk, diagnostic.severity);
  const related = diagnostic.related ?? [];
  const places: readonly RelatedLocation[] = [diagnostic, ...related];
  const lastLine = places
    .map(({ span, source: text = source }) => text.positionAt(span.end).line)
    .reduce((one, other) => Math.max(one, other));
  const gutter = String(lastLine).length;
  const frame = ({ span, source: text = source }: RelatedLocation, mark: string, markPaint: Paint) =>
    codeFrame(text, span, width - gutter - 3).flatMap((row) =>
      frameRow(row, gutter, mark, chalk.dim, markPaint),
    );
  const note = (title: string, text: string) => {
    const [first = '', ...others] = wrapped(`${title}: ${printable(text)}`, gutter + 3, style);
    const words = chalk.bold(`${title}:`) + first.slice(title.length + 1);
    const margin = ' '.repeat(gutter + 3);
    return [`${' '.repeat(gutter)} ${chalk.dim('=')} ${words}`, ...others.map((line) => margin + line)].join(
      '\n',
    );
  };

  const details = [
    ...frame(diagnostic, '^', paint),
    ...related.flatMap((place) => [
      note('note', `${place.message} (${positionText(place.source ?? source, place.span.start)})`),
      ...frame(place, '-', chalk.cyan),
    ]),
    ...(diagnostic.fix === undefined ? [] : [note('help', diagnostic.fix.title)]),
    ...(proof === undefined ? [] : [note('proof', proof)]),
  ];
  const lines = [
    ...header(diagnostic, source, paint, style),
    ...(isBrief ? [] : details),
    ...(rest.length === 0
      ? []
      : [note(`${rest.length} more`, listLines(rest, diagnostic, source, width - gutter - 3))]),
  ];
  return `${lines.join('\n')}\n\n`;
}

function header(diagnostic: Diagnostic, source: SourceText, paint: Paint, style: Style): readonly string[] {
  const kind = `${diagnostic.severity}[${findingKind(diagnostic)}]`;
  const text = `${positionText(source, diagnostic.span.start)}: ${kind}: ${printable(diagnostic.message)}`;
  const [first = '', ...others] = wrapped(text, indentation.length, style);
  const { bold } = style.chalk;
  return [first, ...others.map((line) => indentation + line)].map((line) => {
    const at = line.indexOf(kind);
    if (at === -1) return bold(line);
    return bold(line.slice(0, at)) + bold(paint(kind)) + bold(line.slice(at + kind.length));
  });
}

const indentation = '    ';

/** Lines of a text, all but the first of which have a margin. */
function wrapped(text: string, margin: number, { width, wraps }: Style): readonly string[] {
  return wraps ? wrapColumns(text, width - margin) : [text];
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
