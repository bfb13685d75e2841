import type { IToken } from 'chevrotain';
import type { DotGraph, Identifier, Statement } from './ast.js';
import { endOf, type Report, replacement, spanOf } from './report.js';

/** How deep subgraphs may be nested; whoever walks the tree may therefore recurse. */
const NESTING_LIMIT = 500;

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
  /** How many blocks are open beyond the limit; what they hold is dropped. */
  let dropped = 0;
  let root: (Frame & { readonly name: Identifier }) | undefined;
  let graph: DotGraph | undefined;

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
        const message = `subgraphs may be nested ${NESTING_LIMIT} levels deep; what stands in this one is ignored`;
        report.add('nesting_limit', spanOf(brace), message);
      }
      dropped += 1;
    },
    add(statement) {
      if (dropped === 0) frames.at(-1)?.statements.push(statement);
    },
    close(brace) {
      if (dropped > 0) dropped -= 1;
      else leave(endOf(brace));
    },
    finish() {
      reportUnclosed(frames, report);
      const end = report.isEndLost ? report.text.length : report.text.trimEnd().length;
      while (frames.length > 0) leave(end);
      return graph;
    },
  };
}

/** One finding for all braces that are open at the end, unless an earlier one explains them. */
function reportUnclosed(frames: readonly Frame[], report: Report): void {
  const open = frames.flatMap((frame) => frame.brace ?? []).reverse();
  const [innermost, ...outer] = open;
  if (innermost === undefined) return;
  if (report.isEndLost || report.has('nesting_limit')) return;
  const end = { start: report.text.length, end: report.text.length };
  const others =
    outer.length === 0
      ? ''
      : `, nor ${outer.length === 1 ? 'is the one' : `are the ${outer.length}`} around it`;
  report.add(
    'missing_brace',
    spanOf(innermost),
    `this "{" is not closed${others}: expected "}" before the end of the file`,
    {
      fix: replacement(
        `add "${'}'.repeat(Math.min(open.length, 3))}" at the end`,
        end,
        `\n${'}'.repeat(open.length)}\n`,
      ),
      related: outer
        .slice(0, 5)
        .map((brace) => ({ span: spanOf(brace), message: 'this one is not closed either' })),
    },
  );
}
