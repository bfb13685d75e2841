import type { Declaration, StyleRule, Stylesheet } from '../parser/stylesheet/ast.js';
import { parseStylesheet } from '../parser/stylesheet/parse.js';
import { findSign, type Gap, readGap } from './gap.js';
import { type ListKind, printList } from './list.js';
import { divide, type Page, printLeading, printTrailing, STEP } from './page.js';

/** A stylesheet as a quoted string. */
export interface StylesheetText {
  /**
   * Stylesheet in one line; undefined unless it has a single rule and nothing in it needs separate lines.
   */
  readonly inline: string | undefined;
  /** One rule a line, one step further in than the attribute. */
  tall(indent: string): string;
}

/**
 * Lays out a stylesheet (§8.2). Neither blanks between its parts nor the choice of `:` or `=` matter, so
 * this is the one value whose text may change while its meaning stays. Undefined, and hence unchanged, if
 * it has no rules or an error.
 */
export function layOutStylesheet(text: string, lineEnd: Page['lineEnd']): StylesheetText | undefined {
  const { stylesheet } = parseStylesheet(text);
  if (stylesheet === undefined || stylesheet.rules.length === 0) return undefined;
  if (stylesheet.rules.some(spansLines)) return undefined;
  const print = (indent: string): string => {
    const page: Page = { source: text, lines: [], lineEnd: '\n' };
    printRules(page, stylesheet, indent);
    return page.lines.join('\n');
  };
  const narrow = print('');
  if (!isSame(stylesheet, parseStylesheet(narrow).stylesheet)) return undefined;
  const isOneLine = stylesheet.rules.length === 1 && !narrow.includes('\n');
  return {
    inline: isOneLine ? quote(narrow) : undefined,
    tall: (indent) => quote(`\n${print(indent + STEP)}\n${indent}`.replaceAll('\n', lineEnd)),
  };
}

/** Line ends in a value are part of it. */
function spansLines({ declarations }: StyleRule): boolean {
  return declarations.some(({ value }) => /[\r\n]/.test(value));
}

function printRules(page: Page, { rules }: Stylesheet, indent: string): void {
  let offset = 0;
  rules.forEach((rule, index) => {
    const gap = readGap(page.source, offset, rule.span.start);
    printRule(page, rule, gap, { indent, isFirst: index === 0 });
    offset = rule.span.end;
  });
  const { trailing, leading } = divide(readGap(page.source, offset, page.source.length).remarks, true);
  printTrailing(page, trailing, indent);
  const rest = printLeading(page, leading, { indent, isFirst: false });
  if (rest !== '') page.lines.push(indent + rest.trimEnd());
}

const declarationsKind: ListKind<Declaration> = {
  open: '{',
  close: '}',
  padding: ' ',
  separator: ';',
  end: ';',
  startOf: ({ propertySpan }) => propertySpan.start,
  endOf: ({ valueSpan }) => valueSpan.end,
  remarksIn: ({ source }, { propertySpan, valueSpan }) =>
    readGap(source, propertySpan.end, valueSpan.start).remarks,
  spellInline: spell,
  spellAlone: spell,
};

function spell({ source }: Page, { propertySpan, valueSpan }: Declaration): string {
  const property = source.slice(propertySpan.start, propertySpan.end);
  return `${property}: ${source.slice(valueSpan.start, valueSpan.end)}`;
}

function printRule(
  page: Page,
  { selector, declarations, span }: StyleRule,
  { remarks, endsInBlankLine }: Gap,
  layout: { readonly indent: string; readonly isFirst: boolean },
): void {
  const { indent, isFirst } = layout;
  // Comments before the first rule have no line above that they could belong to.
  const { trailing, leading } = isFirst ? { trailing: [], leading: remarks } : divide(remarks, false);
  printTrailing(page, trailing, indent);
  const before = printLeading(page, leading, layout);
  if (endsInBlankLine && before === '' && !(isFirst && leading.length === 0)) page.lines.push('');
  page.lines.push(`${indent}${before}${page.source.slice(selector.span.start, selector.span.end)} `);
  const brace = findSign(page.source, selector.span.end, '{');
  const list = {
    items: declarations,
    from: brace + 1,
    to: span.end - 1,
    moved: readGap(page.source, selector.span.end, brace).remarks,
    isRepeated: false,
  };
  printList(page, declarationsKind, list, indent);
}

/**
 * True if two stylesheets have the same meaning; a safeguard, because a changed value cannot be brought
 * back.
 */
function isSame(before: Stylesheet, after: Stylesheet | undefined): boolean {
  return after !== undefined && essence(before) === essence(after);
}

function essence({ rules }: Stylesheet): string {
  return JSON.stringify(
    rules.map(({ selector, declarations }) => [
      selector.kind,
      selector.name,
      declarations.map(({ property, value }) => [property, value]),
    ]),
  );
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
