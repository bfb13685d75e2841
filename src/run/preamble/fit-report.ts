import { type CountTokens, loadTokenCounter } from '../../handlers/count-tokens.js';
import { headOf } from '../../view/cut-text.js';

/** Text in parts, of which the least important can be left out. No part has more than one line. */
export interface Report {
  /** Lines that are always kept: each may take a quarter of the room, all together six tenths. */
  readonly intro: readonly string[];
  readonly sections: readonly Section[];
}

export interface Section {
  readonly about: 'stages' | 'events' | 'context' | 'decisions';
  readonly heading: string;
  /** Share of the room, relative to the other sections, as long as all have content. */
  readonly weight: number;
  /** Items, the most important first. */
  readonly items: readonly string[];
  /** Number of items that were left out before. */
  readonly hidden: number;
  /** Makes the line for omitted items. */
  readonly omitted: (count: number) => string;
}

/**
 * Text of a report in at most `budget` tokens (§5.4). Whole items are left out, the least important of each
 * section first, and a line gives their number. An item is at most an eighth of the whole. The tokenizer is
 * only used, and loaded, if the text could be too long: every token has at least one byte.
 * @param least makes a report with the same items in fewer words, for less than the budget: what it has is not left out
 */
export async function fitReport(
  report: Report,
  budget: number,
  least?: () => Promise<Report>,
): Promise<string> {
  return textOf(await fittingReport(report, budget, least));
}

/** Report that fits, see `fitReport`. */
export async function fittingReport(
  report: Report,
  budget: number,
  least?: () => Promise<Report>,
): Promise<Report> {
  const bounded = boundedReport(report, budget);
  if (Buffer.byteLength(textOf(bounded)) <= budget) return bounded;
  return reduced(bounded, budget, await loadTokenCounter(), await least?.());
}

/** Minimum: the shortest item has a bullet, a word, a status and a line break. */
const leastTokensOfItem = 5;

function boundedReport(report: Report, budget: number): Report {
  const most = Math.ceil(budget / leastTokensOfItem);
  const sections = report.sections
    .filter(({ items }) => items.length > 0)
    .map((section) => keeping(section, section.items.slice(0, most)));
  return { ...report, sections };
}

function keeping(section: Section, items: readonly string[]): Section {
  return { ...section, items, hidden: section.hidden + section.items.length - items.length };
}

function textOf({ intro, sections }: Report): string {
  return [intro.join('\n'), ...sections.map(textOfSection)].join('\n\n');
}

function textOfSection({ heading, items, hidden, omitted }: Section): string {
  const lines = [heading, ...items.map(bulleted)];
  if (hidden > 0) lines.push(bulleted(omitted(hidden)));
  return lines.join('\n');
}

function bulleted(item: string): string {
  return `- ${item}`;
}

/**
 * Cuts parts that are too long by themselves, then fills the sections in turns. A line never joins its
 * neighbours in a token, so that the whole has as many tokens as its lines; the empty line before a heading
 * is part of the line above it.
 */
function reduced({ intro, sections }: Report, budget: number, count: CountTokens, least?: Report): Report {
  const costOf = (line: string): number => count(`${line}\n`);
  const shortIntro = cutIntro(intro, budget, costOf);
  const drafts = sections.map((section) => {
    const items = [...(least?.sections.find(({ about }) => about === section.about)?.items ?? [])];
    return {
      section,
      heading: costOf(section.heading) + emptyLine,
      omission: costOf(bulleted(section.omitted(section.hidden + section.items.length))),
      items,
      /** Number of the items that are there with all their words. */
      done: 0,
      used: sum(items.map((item) => costOf(bulleted(item)))),
      isOpen: true,
    };
  });
  const fixed = drafts.map(({ heading, omission, used }) => heading + omission + used);
  let room = budget - sum(shortIntro.map(costOf)) - sum(fixed);
  for (let draft = nextOf(drafts); draft !== undefined; draft = nextOf(drafts)) {
    const item = draft.section.items[draft.done];
    const short = draft.items[draft.done];
    const line = item === undefined ? undefined : cutToTokens(bulleted(item), Math.floor(budget / 8), costOf);
    const saved = short === undefined ? 0 : costOf(bulleted(short));
    const cost = line === undefined ? Number.POSITIVE_INFINITY : costOf(line) - saved;
    if (line === undefined || cost > room) {
      draft.isOpen = false;
      continue;
    }
    room -= cost;
    draft.used += cost;
    draft.items[draft.done] = line.slice(bulleted('').length);
    draft.done += 1;
  }
  const filled = drafts.filter(({ items }) => items.length > 0);
  return { intro: shortIntro, sections: filled.map(({ section, items }) => keeping(section, items)) };
}

function cutIntro(lines: readonly string[], budget: number, costOf: CountTokens): readonly string[] {
  let room = Math.floor(budget * 0.6);
  const cut: string[] = [];
  for (const line of lines) {
    const short = cutToTokens(line, Math.min(room, Math.floor(budget / 4)), costOf);
    if (short === '…') continue;
    cut.push(short);
    room -= costOf(short);
  }
  return cut;
}

/** Tokens that an empty line may add to the line before it. */
const emptyLine = 2;

/** Section that has used least of its share of the room; the first of several. */
function nextOf<Draft extends { readonly section: Section; readonly used: number; readonly isOpen: boolean }>(
  drafts: readonly Draft[],
): Draft | undefined {
  let next: Draft | undefined;
  for (const draft of drafts) {
    if (!draft.isOpen) continue;
    if (next === undefined || draft.used / draft.section.weight < next.used / next.section.weight)
      next = draft;
  }
  return next;
}

/** Longest beginning, in whole characters, within so many tokens. */
function cutToTokens(line: string, most: number, costOf: CountTokens): string {
  if (Buffer.byteLength(line) < most || costOf(line) <= most) return line;
  let fits = 0;
  let exceeds = line.length;
  while (exceeds - fits > 1) {
    const middle = (fits + exceeds) >> 1;
    if (costOf(headOf(line, middle)) <= most) fits = middle;
    else exceeds = middle;
  }
  return headOf(line, fits);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
