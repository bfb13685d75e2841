import type { AttributeNode } from '../parser/dot/ast.js';
import { type Owner, spellAlone, spellInline } from './attribute.js';
import { findSign, readGap } from './gap.js';
import { type ListKind, printList } from './list.js';
import { append, isInline, type Page } from './page.js';

/** An attribute block and where it stands. */
export interface Block {
  readonly attributes: readonly AttributeNode[];
  readonly owner: Owner;
  /** Offset after the statement that it belongs to. */
  readonly from: number;
  /** The offset after its `]`. */
  readonly to: number;
  /** True if its comments are printed elsewhere. */
  readonly isRepeated?: boolean;
}

const kinds: Readonly<Record<Owner, ListKind<AttributeNode>>> = {
  pipeline: kindOf('pipeline'),
  part: kindOf('part'),
};

function kindOf(owner: Owner): ListKind<AttributeNode> {
  return {
    open: '[',
    close: ']',
    padding: '',
    separator: ',',
    end: '',
    startOf: ({ span }) => span.start,
    endOf: ({ span }) => span.end,
    remarksIn: ({ source }, { key, value }) => readGap(source, key.span.end, value.span.start).remarks,
    spellInline: (page, attribute, room) => spellInline(page, attribute, owner, room),
    spellAlone: (page, attribute, indent) => spellAlone(page, attribute, owner, indent),
  };
}

/** Appends an attribute block to the last line, or prints one attribute a line (§2.3). */
export function printBlock(page: Page, block: Block, indent: string): void {
  const { attributes, owner, from, to, isRepeated = false } = block;
  const open = findSign(page.source, from, '[');
  const before = isRepeated ? [] : readGap(page.source, from, open).remarks;
  append(page, ' ');
  for (const remark of before) if (isInline(remark)) append(page, `${remark.text} `);
  const list = {
    items: attributes,
    from: open + 1,
    to: to - 1,
    moved: before.filter((remark) => !isInline(remark)),
    isRepeated,
  };
  printList(page, kinds[owner], list, indent);
}

/** True if a statement has a block with attributes, or with comments. */
export function hasContent({ source }: Page, { attributes, from, to }: Block): boolean {
  if (attributes.length > 0) return true;
  if (from === to) return false;
  const open = findSign(source, from, '[');
  return (
    readGap(source, from, open).remarks.length > 0 || readGap(source, open + 1, to - 1).remarks.length > 0
  );
}
