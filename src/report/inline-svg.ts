import { printableLines } from '../diagnostic/printable.js';

/** Elements of our drawings; any other is kept out of the page. */
const elements: ReadonlySet<string> = new Set([
  ...['svg', 'g', 'title', 'style', 'path', 'polygon', 'polyline', 'ellipse', 'circle', 'rect', 'line'],
  ...['text', 'tspan', 'defs', 'linearGradient', 'radialGradient', 'stop', 'clipPath'],
]);

const attributes: ReadonlySet<string> = new Set([
  ...['aria-label', 'role', 'class', 'id', 'd', 'points', 'x', 'y', 'x1', 'y1', 'x2', 'y2', 'cx', 'cy', 'r'],
  ...['rx', 'ry', 'fx', 'fy', 'fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'opacity'],
  ...['stroke-dasharray', 'stroke-linejoin', 'stroke-linecap', 'paint-order', 'transform', 'viewBox'],
  ...['width', 'height', 'font-family', 'font-size', 'font-weight', 'font-style', 'text-anchor'],
  ...['text-decoration', 'baseline-shift', 'xml:space', 'xmlns', 'xmlns:xlink', 'offset', 'stop-color'],
  ...['stop-opacity', 'gradientUnits', 'gradientTransform', 'textLength'],
]);

const tag = /<(\/?)([A-Za-z][\w:-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/y;
const attribute = /([\w:-]+)="([^"]*)"/g;

/**
 * Prepares a drawing of ours to stand in a page among others: known elements and attributes only, and ids
 * with a prefix.
 * @param svg as `renderSvg` writes it
 * @throws Error for anything not written like that
 */
export function inlineSvg(svg: string, prefix: string): string {
  let result = '';
  for (let offset = 0; offset < svg.length; ) {
    const end = svg.indexOf('<', offset);
    if (end < 0) return result + printableLines(svg.slice(offset));
    result += printableLines(svg.slice(offset, end));
    tag.lastIndex = end;
    const match = tag.exec(svg);
    if (match === null) throw new Error(`the drawing has unknown markup at ${end}`);
    const [whole, close = '', name = '', given = '', empty = ''] = match;
    if (elements.has(name)) result += `<${close}${name}${attributesOf(given, prefix)}${empty}>`;
    offset = end + whole.length;
  }
  return result;
}

function attributesOf(given: string, prefix: string): string {
  return Array.from(given.matchAll(attribute), ([, name = '', value = '']) => {
    if (!attributes.has(name)) return '';
    if (name === 'id') return ` id="${prefix}${value}"`;
    return ` ${name}="${printableLines(value).replaceAll('url(#', `url(#${prefix}`)}"`;
  }).join('');
}
