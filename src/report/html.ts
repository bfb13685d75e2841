import { printableLines } from '../diagnostic/printable.js';

/** Markup that is safe in a page: made by `html`, which escapes every text that it receives. */
export class Html {
  readonly markup: string;

  /** @param markup that holds nothing of an author, a model or a program that is not escaped */
  constructor(markup: string) {
    this.markup = markup;
  }
}

/** Value in a template: texts are escaped, null and undefined add nothing. */
export type HtmlPart = Html | readonly Html[] | string | number | null | undefined;

/**
 * Template of markup in which every value is text: `<` and quotes are escaped, and control characters
 * become visible.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  const [first = '', ...others] = strings;
  return new Html(first + others.map((text, index) => markupOf(parts[index]) + text).join(''));
}

function markupOf(part: HtmlPart): string {
  if (part === null || part === undefined) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(({ markup }) => markup).join('');
  return escapeHtml(String(part));
}

const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

function escapeHtml(text: string): string {
  return printableLines(text).replaceAll(/[&<>"']/g, (character) => entities.get(character) ?? '');
}
