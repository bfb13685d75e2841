export interface HtmlText {
  readonly text: string;
  /** True if the markup only concerns the look of the text; a table or an image is more than that. */
  readonly isStyleOnly: boolean;
}

const styleTags: ReadonlySet<string> = new Set(['b', 'br', 'font', 'i', 'o', 's', 'sub', 'sup', 'u']);
const characters: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
]);

/**
 * Text of an HTML-like label of Graphviz (`<…>`) without its markup: one blank for several, a line for a
 * line or a row.
 */
export function textOfHtml(html: string): HtmlText {
  const inside = withoutBrackets(html);
  let isStyleOnly = true;
  const marked = inside.replace(/\s+/g, ' ').replace(/<(?:!--.*?--|[^<>]*)>/g, (tag) => {
    const name = /^<\/?\s*([a-z]+)/i.exec(tag)?.[1]?.toLowerCase() ?? '';
    isStyleOnly &&= styleTags.has(name) || tag.startsWith('<!--');
    if (name === 'br' || (name === 'tr' && tag.startsWith('</'))) return '\n';
    return name === 'td' ? ' ' : '';
  });
  const lines = marked.split('\n').map((line) => decodeCharacters(line.replace(/ +/g, ' ').trim()));
  return { text: lines.join('\n').trim(), isStyleOnly };
}

/** Removes `<…>` around the whole, unless the value is a single tag: `<b>x</b>`. */
function withoutBrackets(html: string): string {
  const inside = html.slice(1, -1);
  return /^<[^<>]*</.test(html) || !inside.includes('<') ? inside : html;
}

function decodeCharacters(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi,
    (entity, decimal, hexadecimal, name) => {
      if (name !== undefined) return characters.get(name.toLowerCase()) ?? entity;
      const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
    },
  );
}
