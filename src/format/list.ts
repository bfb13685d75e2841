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

/** An attribute, or a declaration of a stylesheet. */
export interface ListItem {
  /** Offsets in the source. */
  readonly start: number;
  readonly end: number;
  /** The comments inside of it; they are printed before it. */
  readonly remarks: readonly Remark[];
  /** How it is spelt beside others; undefined where it needs lines of its own. */
  readonly inline: string | undefined;
  /** How it is spelt in lines of its own. */
  alone(indent: string): string;
}

export interface List {
  readonly items: readonly ListItem[];
  /** The offsets between its signs. */
  readonly from: number;
  readonly to: number;
  /** Comments from before the opening sign; they are printed behind it. */
  readonly moved: readonly Remark[];
  /** Whether its comments are printed elsewhere. */
  readonly isRepeated: boolean;
}

export interface ListStyle {
  readonly open: string;
  readonly close: string;
  /** Between the signs and what they enclose, in one line. */
  readonly padding: string;
  readonly separator: string;
  /** What follows the last item in place of the separator. */
  readonly end: string;
}

/** Prints a list behind what stands in the last line: in that line where it fits, else with one item a line. */
export function printList(page: Page, style: ListStyle, list: List, indent: string): void {
  const items = placeRemarks(page, list);
  const flat = printFlat(style, items);
  if (flat !== undefined && columnOf(page) + flat.length <= WIDTH) append(page, flat);
  else printTall(page, style, items, indent);
}

interface PlacedItem {
  /** Undefined for what stands behind the last item. */
  readonly item: ListItem | undefined;
  /** Those on the line of what is before: of the opening sign, or of the previous item. */
  readonly trailing: readonly Remark[];
  readonly leading: readonly Remark[];
  readonly afterBlankLine: boolean;
}

/** The items with their comments, and at the end the comments behind them. */
function placeRemarks({ source }: Page, list: List): readonly PlacedItem[] {
  const { items, from, to, moved } = list;
  let offset = from;
  return [...items, undefined].map((item, index) => {
    const gap = list.isRepeated ? EMPTY_GAP : readGap(source, offset, item?.start ?? to);
    const inside = list.isRepeated ? [] : (item?.remarks ?? []);
    const { trailing, leading } = divide(gap.remarks, item === undefined && index > 0);
    offset = item?.end ?? to;
    return {
      item,
      trailing: index === 0 && moved.length > 0 ? [...moved, ...trailing] : trailing,
      leading: inside.length === 0 ? leading : [...leading, ...inside],
      afterBlankLine: gap.endsInBlankLine,
    };
  });
}

function printFlat(style: ListStyle, placed: readonly PlacedItem[]): string | undefined {
  let text = '';
  let isBehindItem = false;
  for (const { item, trailing, leading } of placed) {
    for (const remark of trailing) {
      if (!isInline(remark)) return undefined;
      text += isBehindItem ? ` ${remark.text}` : `${remark.text} `;
    }
    if (isBehindItem) text += item === undefined ? style.end : `${style.separator} `;
    for (const remark of leading) {
      if (!isInline(remark)) return undefined;
      text += `${remark.text} `;
    }
    if (item === undefined) break;
    if (item.inline === undefined) return undefined;
    text += item.inline;
    isBehindItem = true;
  }
  return style.open + style.padding + text.trimEnd() + style.padding + style.close;
}

function printTall(page: Page, style: ListStyle, placed: readonly PlacedItem[], indent: string): void {
  const inner = indent + STEP;
  append(page, style.open);
  placed.forEach(({ item, trailing, leading, afterBlankLine }, index) => {
    const isFirst = index === 0;
    if (!isFirst) append(page, item === undefined ? style.end : style.separator);
    printTrailing(page, trailing, inner);
    const before = printLeading(page, leading, { indent: inner, isFirst });
    if (item !== undefined) {
      if (afterBlankLine && before === '' && !(isFirst && leading.length === 0)) page.lines.push('');
      page.lines.push(inner + before + item.alone(inner));
    } else if (before !== '') {
      page.lines.push(inner + before.trimEnd());
    }
  });
  page.lines.push(indent + style.close);
}
