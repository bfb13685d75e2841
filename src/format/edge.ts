import type { EdgeStatement, Identifier } from '../parser/dot/ast.js';
import { type Block, hasContent, printBlock } from './block.js';
import { type Remark, readGap } from './gap.js';
import {
  append,
  columnOf,
  divide,
  isInline,
  type Page,
  printLeading,
  printTrailing,
  STEP,
  WIDTH,
} from './page.js';

/** Graphviz gives up on chains of some thousand edges; a longer one becomes several statements, which mean the same. */
const LONGEST_CHAIN = 1000;

/** Appends an edge statement (§2.9) to the last line. */
export function printEdge(page: Page, { chain, attributes, span }: EdgeStatement, indent: string): void {
  const block: Block = {
    attributes,
    owner: 'part',
    from: chain.at(-1)?.span.end ?? span.end,
    to: span.end,
  };
  const hasBlock = hasContent(page, block);
  for (let start = 0; start < chain.length - 1; start += LONGEST_CHAIN) {
    const isLast = start + LONGEST_CHAIN >= chain.length - 1;
    if (start > 0) page.lines.push(indent);
    const inner = printChain(page, chain.slice(start, start + LONGEST_CHAIN + 1), hasBlock, indent);
    if (hasBlock && (isLast || attributes.length > 0)) {
      printBlock(page, isLast ? block : { ...block, isRepeated: true }, inner);
    }
  }
}

/**
 * Prints a chain in the last line, or one target a line if that line gets too long or comments stand
 * between.
 * @returns the indentation of its end
 */
function printChain(page: Page, chain: readonly Identifier[], hasBlock: boolean, indent: string): string {
  const gaps = chain.map(({ span }, index) => {
    const before = chain[index - 1];
    return before === undefined ? [] : readGap(page.source, before.span.end, span.start).remarks;
  });
  const flat = gaps.every((remarks) => remarks.every(isInline)) ? flatChain(chain, gaps) : undefined;
  const room = WIDTH - columnOf(page) - (hasBlock ? 2 : 0);
  if (flat !== undefined && flat.length <= room) {
    append(page, flat);
    return indent;
  }
  const inner = indent + STEP;
  append(page, chain[0]?.name ?? '');
  gaps.forEach((remarks, index) => {
    if (index > 0) printTarget(page, chain[index]?.name ?? '', remarks, inner);
  });
  return inner;
}

function flatChain(chain: readonly Identifier[], gaps: readonly (readonly Remark[])[]): string {
  let text = chain[0]?.name ?? '';
  for (let index = 1; index < chain.length; index += 1) {
    const remarks = gaps[index] ?? [];
    for (const remark of remarks) if (remark.beforeSign) text += ` ${remark.text}`;
    text += ' -> ';
    for (const remark of remarks) if (!remark.beforeSign) text += `${remark.text} `;
    text += chain[index]?.name ?? '';
  }
  return text;
}

function printTarget(page: Page, name: string, remarks: readonly Remark[], indent: string): void {
  const { trailing, leading } = divide(remarks, false);
  printTrailing(page, trailing, indent);
  const isAfterArrow =
    leading.length > 0 && leading.every((remark) => isInline(remark) && !remark.beforeSign);
  const before = printLeading(page, isAfterArrow ? [] : leading, { indent, isFirst: true });
  const leadingComments = isAfterArrow ? leading.map(({ text }) => `${text} `).join('') : '';
  page.lines.push(`${indent}${before}-> ${leadingComments}${name}`);
}
