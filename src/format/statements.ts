import type { Statement } from '../parser/dot/ast.js';
import { type Owner, spellAlone } from './attribute.js';
import { type Block, hasContent, printBlock } from './block.js';
import { printEdge } from './edge.js';
import { findSign, type Remark, readGap } from './gap.js';
import { append, divide, type Page, printLeading, printTrailing, STEP } from './page.js';

/** Content between the braces of a graph or subgraph. */
export interface Body {
  readonly statements: readonly Statement[];
  readonly owner: Owner;
  /** Offset after the part before its `{`. */
  readonly from: number;
  /** The offset after its `}`. */
  readonly to: number;
  /** Comments from further up that are printed after the `{`. */
  readonly moved: readonly Remark[];
}

/**
 * Prints `{`, the statements in their order, one or more lines each, and `}` (§2.2) after the content of
 * the last line.
 */
export function printBody(page: Page, { statements, owner, from, to, moved }: Body, indent: string): void {
  const inner = indent + STEP;
  const open = findSign(page.source, from, '{');
  const before = [...moved, ...readGap(page.source, from, open).remarks];
  append(page, '{');
  let offset = open + 1;
  statements.forEach((statement, index) => {
    const gap = readGap(page.source, offset, statement.span.start);
    const { trailing, leading } = divide(gap.remarks, false);
    printTrailing(page, index === 0 ? [...before, ...trailing] : trailing, inner);
    const remarks = [...leading, ...remarksInside(page, statement)];
    const prefix = printLeading(page, remarks, { indent: inner, isFirst: index === 0 });
    const isTop = index === 0 && leading.length === 0;
    if (gap.endsInBlankLine && prefix === '' && !isTop) page.lines.push('');
    page.lines.push(inner + prefix);
    printStatement(page, statement, owner, inner);
    offset = statement.span.end;
  });
  const { trailing, leading } = divide(readGap(page.source, offset, to - 1).remarks, statements.length > 0);
  printTrailing(page, statements.length === 0 ? [...before, ...trailing] : trailing, inner);
  const rest = printLeading(page, leading, { indent: inner, isFirst: statements.length === 0 });
  if (rest !== '') page.lines.push(inner + rest.trimEnd());
  const isEmpty = statements.length === 0 && before.length + trailing.length + leading.length === 0;
  if (isEmpty) append(page, '}');
  else page.lines.push(`${indent}}`);
}

/** The comments between the key and the value of a statement `key = value`. */
function remarksInside({ source }: Page, statement: Statement): readonly Remark[] {
  if (statement.kind !== 'attribute') return [];
  const { key, value } = statement.attribute;
  return readGap(source, key.span.end, value.span.start).remarks;
}

function printStatement(page: Page, statement: Statement, owner: Owner, indent: string): void {
  const { span } = statement;
  switch (statement.kind) {
    case 'graph_attributes':
      printDefaults(page, 'graph', { ...statement, owner, from: span.start + 5, to: span.end }, indent);
      return;
    case 'node_defaults':
      printDefaults(
        page,
        'node',
        { ...statement, owner: 'part', from: span.start + 4, to: span.end },
        indent,
      );
      return;
    case 'edge_defaults':
      printDefaults(
        page,
        'edge',
        { ...statement, owner: 'part', from: span.start + 4, to: span.end },
        indent,
      );
      return;
    case 'attribute':
      append(page, spellAlone(page, statement.attribute, owner, indent));
      return;
    case 'subgraph': {
      const { name, statements } = statement;
      const keyword = span.start + 'subgraph'.length;
      append(page, name === undefined ? 'subgraph ' : `subgraph ${name.name} `);
      const moved = name === undefined ? [] : readGap(page.source, keyword, name.span.start).remarks;
      const from = name?.span.end ?? keyword;
      printBody(page, { statements, owner: 'part', from, to: span.end, moved }, indent);
      return;
    }
    case 'node': {
      const { id, attributes } = statement;
      const block: Block = { attributes, owner: 'part', from: id.span.end, to: span.end };
      append(page, id.name);
      if (hasContent(page, block)) printBlock(page, block, indent);
      return;
    }
    case 'edge':
      printEdge(page, statement, indent);
      return;
  }
}

function printDefaults(page: Page, keyword: string, block: Block, indent: string): void {
  append(page, keyword);
  printBlock(page, block, indent);
}
