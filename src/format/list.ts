import { EMPTY_GAP, type Remark, readGap } from './gap.js';
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

/** A kind of list: the attributes of a block, or the declarations of a stylesheet's rule. */
export interface ListKind<Item> {
  readonly open: string;
  readonly close: string;
  /** Between the brackets and their content, in one line. */
  readonly padding: string;
  readonly separator: string;
  /** Text after the last item, instead of the separator. */
  readonly end: string;
  /** The offsets of an item in the source. */
  startOf(item: Item): number;
  endOf(item: Item): number;
  /** The comments inside of an item; they are printed before it. */
  remarksIn(page: Page, item: Item): readonly Remark[];
  /** Item in a line with others; undefined if it needs separate lines, or more than `room` columns. */
  spellInline(page: Page, item: Item, room: number): string | undefined;
  /** Item in separate lines. */
  spellAlone(page: Page, item: Item, indent: string): string;
}

export interface List<Item> {
  readonly items: readonly Item[];
  /** The offsets between its signs. */
  readonly from: number;
  readonly to: number;
  /** Comments from before the opening sign; they are printed after it. */
  readonly moved: readonly Remark[];
  /** True if its comments are printed elsewhere. */
  readonly isRepeated: boolean;
}

/** Prints a list after the content of the last line: in that line if it fits, else with one item a line. */
export function printList<Item>(page: Page, kind: ListKind<Item>, list: List<Item>, indent: string): void {
  const margins = marginsOf(page, kind, list);
  const flat = flatText(page, kind, list.items, margins);
  if (flat !== undefined) append(page, flat);
  else printTall(page, kind, { items: list.items, margins }, indent);
}

/** Comments before an item, or after the last one. */
interface Margin {
  /** Comments on the line of the preceding opening sign or item. */
  readonly trailing: readonly Remark[];
  readonly leading: readonly Remark[];
  readonly endsInBlankLine: boolean;
}

const NO_MARGIN: Margin = { trailing: [], leading: [], endsInBlankLine: false };

/** Margins around the items: one more than there are items. */
function marginsOf<Item>(page: Page, kind: ListKind<Item>, list: List<Item>): readonly Margin[] {
  const { items, from, to, moved, isRepeated } = list;
  const margins: Margin[] = [];
  let offset = from;
  for (const item of items) {
    const gap = isRepeated ? EMPTY_GAP : readGap(page.source, offset, kind.startOf(item));
    const inside = isRepeated ? EMPTY_GAP.remarks : kind.remarksIn(page, item);
    offset = kind.endOf(item);
    if (gap === EMPTY_GAP && inside.length === 0) {
      margins.push(NO_MARGIN);
      continue;
    }
    const { trailing, leading } = divide(gap.remarks, false);
    margins.push({ trailing, leading: [...leading, ...inside], endsInBlankLine: gap.endsInBlankLine });
  }
  const gap = isRepeated ? EMPTY_GAP : readGap(page.source, offset, to);
  margins.push({ ...divide(gap.remarks, items.length > 0), endsInBlankLine: gap.endsInBlankLine });
  const [first] = margins;
  if (moved.length > 0 && first !== undefined)
    margins[0] = { ...first, trailing: [...moved, ...first.trailing] };
  return margins;
}

/** List in one line; undefined if it must not be in one, or does not fit. */
function flatText<Item>(
  page: Page,
  kind: ListKind<Item>,
  items: readonly Item[],
  margins: readonly Margin[],
): string | undefined {
  const room = WIDTH - columnOf(page) - kind.open.length - kind.close.length - 2 * kind.padding.length;
  let text = '';
  for (const [index, { trailing, leading }] of margins.entries()) {
    if (!trailing.every(isInline) || !leading.every(isInline)) return undefined;
    for (const remark of trailing) text += index > 0 ? ` ${remark.text}` : `${remark.text} `;
    const isLast = index === items.length;
    if (index > 0) text += isLast ? kind.end : `${kind.separator} `;
    for (const remark of leading) text += `${remark.text} `;
    const item = items[index];
    if (item === undefined) break;
    const spelt = kind.spellInline(page, item, room - text.length);
    if (spelt === undefined) return undefined;
    text += spelt;
  }
  text = text.trimEnd();
  return text.length > room ? undefined : kind.open + kind.padding + text + kind.padding + kind.close;
}

function printTall<Item>(
  page: Page,
  kind: ListKind<Item>,
  { items, margins }: { readonly items: readonly Item[]; readonly margins: readonly Margin[] },
  indent: string,
): void {
  const inner = indent + STEP;
  append(page, kind.open);
  for (const [index, { trailing, leading, endsInBlankLine }] of margins.entries()) {
    const isFirst = index === 0;
    const item = items[index];
    if (!isFirst) append(page, item === undefined ? kind.end : kind.separator);
    printTrailing(page, trailing, inner);
    const before = printLeading(page, leading, { indent: inner, isFirst });
    if (item !== undefined) {
      if (endsInBlankLine && before === '' && !(isFirst && leading.length === 0)) page.lines.push('');
      page.lines.push(inner + before + kind.spellAlone(page, item, inner));
    } else if (before !== '') {
      page.lines.push(inner + before.trimEnd());
    }
  }
  page.lines.push(indent + kind.close);
}
