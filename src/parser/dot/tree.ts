import type { IToken } from 'chevrotain';
import { lineBreakOf } from '../../diagnostic/line-break.js';
import type { DotGraph, Identifier, Statement } from './ast.js';
import { endOf, guess, type Report, replacement, spanOf } from './report.js';

/** Maximum nesting of subgraphs, so that the tree can be walked recursively. */
const NESTING_LIMIT = 500;
/** Maximum of statements and edges of a graph; a larger one was written by mistake, or to do harm. */
const SIZE_LIMIT = 500_000;

interface Frame {
  readonly start: number;
  readonly name: Identifier | undefined;
  readonly brace: IToken | undefined;
  readonly statements: Statement[];
}

/** Builds the tree of statements with an explicit stack, so that no input can exhaust the call stack. */
export interface TreeBuilder {
  isOpen(): boolean;
  openGraph(start: number, name: Identifier, brace: IToken | undefined): void;
  openBlock(start: number, name: Identifier | undefined, brace: IToken): void;
  add(statement: Statement): void;
  /** Closes the innermost block, or the graph. */
  close(brace: IToken): void;
  /** Closes what is still open at the end of the text. */
  finish(): DotGraph | undefined;
}

export function createTreeBuilder(report: Report): TreeBuilder {
  const frames: Frame[] = [];
  /** Number of open blocks beyond the limit; their content is dropped. */
  let dropped = 0;
  let size = 0;
  let root: (Frame & { readonly name: Identifier }) | undefined;
  let graph: DotGraph | undefined;
  /**
   * True if a block was closed by a brace in another column than its beginning: one in between is missing.
   */
  let isMisaligned = false;

  function leave(end: number): void {
    const frame = frames.pop();
    if (frame === undefined || root === undefined) return;
    const span = { start: frame.start, end };
    if (frame === root) {
      graph = { name: root.name, statements: root.statements, span };
      return;
    }
    const name = frame.name === undefined ? {} : { name: frame.name };
    frames.at(-1)?.statements.push({ kind: 'subgraph', ...name, statements: frame.statements, span });
  }

  return {
    isOpen: () => frames.length > 0,
    openGraph(start, name, brace) {
      root = { start, name, brace, statements: [] };
      frames.push(root);
    },
    openBlock(start, name, brace) {
      if (frames.length <= NESTING_LIMIT) {
        frames.push({ start, name, brace, statements: [] });
        return;
      }
      if (dropped === 0 && !report.has('nesting_limit')) {
        const message = `subgraphs may be nested ${NESTING_LIMIT} levels deep; the contents of this one are ignored`;
        report.add('nesting_limit', spanOf(brace), message);
      }
      dropped += 1;
    },
    add(statement) {
      if (dropped > 0) return;
      size += statement.kind === 'edge' ? statement.chain.length - 1 : 1;
      if (size <= SIZE_LIMIT) frames.at(-1)?.statements.push(statement);
      else if (!report.has('size_limit')) reportSize(statement, report);
    },
    close(brace) {
      if (dropped > 0) {
        dropped -= 1;
        return;
      }
      isMisaligned ||= !isAligned(frames.at(-1)?.brace, brace, report.text);
      leave(endOf(brace));
    },
    finish() {
      reportUnclosed(frames, isMisaligned, report);
      const end = report.isEndLost ? report.text.length : report.text.trimEnd().length;
      while (frames.length > 0) leave(end);
      return graph;
    },
  };
}

function reportSize({ span: { start } }: Statement, report: Report): void {
  const message = `a pipeline has at most ${SIZE_LIMIT} statements and edges; this statement and the rest are ignored: move parts to other pipelines, and run them as stages (type=pipeline)`;
  report.add('size_limit', { start, end: start + 1 }, message);
}

/** Reports all braces that are open at the end in one finding, unless an earlier one explains them. */
function reportUnclosed(frames: readonly Frame[], isMisaligned: boolean, report: Report): void {
  const open = frames.flatMap((frame) => frame.brace ?? []).reverse();
  const [innermost, ...outer] = open;
  if (innermost === undefined) return;
  if (report.isEndLost || report.has('nesting_limit')) return;
  const end = { start: report.text.length, end: report.text.length };
  const others =
    outer.length === 0
      ? ''
      : `, nor ${outer.length === 1 ? 'is the one' : `are the ${outer.length}`} around it`;
  const lineBreak = lineBreakOf(report.text);
  const fix = replacement(
    `add "${'}'.repeat(Math.min(open.length, 3))}" at the end`,
    end,
    `${report.text.endsWith('\n') ? '' : lineBreak}${'}'.repeat(open.length)}${lineBreak}`,
  );
  report.add(
    'missing_brace',
    spanOf(innermost),
    `this "{" is not closed${others}: expected "}" before the end of the file`,
    {
      // The end of a block alone does not show which statements it was to hold.
      fix: outer.length > 0 || isMisaligned ? guess(fix) : fix,
      related: outer
        .slice(0, 5)
        .map((brace) => ({ span: spanOf(brace), message: 'this one is not closed either' })),
    },
  );
}

/** True if a brace that begins its line is indented like the line that it closes. */
function isAligned(open: IToken | undefined, close: IToken, text: string): boolean {
  const closing = blanksBefore(text, close.startOffset);
  const lineStart = open === undefined ? -1 : text.lastIndexOf('\n', open.startOffset);
  const isFirst = text[close.startOffset - closing.length - 1] === '\n';
  if (!isFirst || lineStart === -1) return true;
  return text.startsWith(closing, lineStart + 1) && /\S/.test(text[lineStart + 1 + closing.length] ?? ' ');
}

function blanksBefore(text: string, offset: number): string {
  let start = offset;
  while (text[start - 1] === ' ' || text[start - 1] === '\t') start -= 1;
  return text.slice(start, offset);
}
