/** A drawing that is safe to put on the page, and its groups by the names that it gave them. */
export interface AdoptedSvg {
  readonly svg: SVGSVGElement;
  /**
   * Nodes as `node-<id>`, edges as `edge-<index>`; the page has no elements with such ids, so no author can
   * collide with one.
   */
  readonly groups: ReadonlyMap<string, SVGGElement>;
  readonly size: { readonly width: number; readonly height: number };
}

/**
 * Copies the necessary parts of a drawing from an untrusted text: known elements with known attributes, and
 * texts. Scripts, styles, links, handlers, foreign content and references are not copied, whatever their
 * names are. Undefined if the text is not a drawing.
 */
export function adoptSvg(text: string): AdoptedSvg | undefined {
  // Our style sheet replaces that of the drawing; a browser would complain about an inline one although it
  // is not copied.
  const plain = text.replaceAll(/<style>[\s\S]*?<\/style>/g, '');
  const parsed = new DOMParser().parseFromString(plain, 'image/svg+xml').documentElement;
  if (parsed.namespaceURI !== svgNamespace || parsed.localName !== 'svg') return undefined;
  const groups = new Map<string, SVGGElement>();
  const svg = copy(parsed, groups);
  if (!(svg instanceof SVGSVGElement)) return undefined;
  const [, , width = 0, height = 0] = (svg.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  if (!(width > 0 && height > 0)) return undefined;
  return { svg, groups, size: { width, height } };
}

export const svgNamespace = 'http://www.w3.org/2000/svg';

const elements: ReadonlySet<string> = new Set([
  'svg',
  'g',
  'title',
  'path',
  'polygon',
  'polyline',
  'ellipse',
  'text',
  'tspan',
]);

/** Copied attributes: none can refer to another resource, except for colours (below). */
const attributes: ReadonlySet<string> = new Set([
  'class',
  'cx',
  'cy',
  'd',
  'fill',
  'font-family',
  'font-size',
  'font-style',
  'font-weight',
  'paint-order',
  'points',
  'rx',
  'ry',
  'stroke',
  'stroke-dasharray',
  'stroke-linejoin',
  'stroke-width',
  'text-anchor',
  'transform',
  'viewBox',
  'x',
  'y',
]);

/** A value that refers to something, as `url(…)` does, is not copied. */
const plainValue = /^[^():;<>]*$|^(?:\s*(?:scale|rotate|translate)\([-\d.\s,]+\))+\s*$/;

function copy(element: Element, groups: Map<string, SVGGElement>): SVGElement | undefined {
  if (element.namespaceURI !== svgNamespace || !elements.has(element.localName)) return undefined;
  const made = document.createElementNS(svgNamespace, element.localName) as SVGElement;
  for (const { namespaceURI, localName, value } of element.attributes) {
    if (namespaceURI === null && attributes.has(localName) && plainValue.test(value)) {
      made.setAttribute(localName, value);
    }
  }
  if (made instanceof SVGGElement) {
    const name = element.getAttribute('id');
    if (name !== null) groups.set(name, made);
  }
  for (const child of element.childNodes) {
    if (child instanceof Element) {
      const part = copy(child, groups);
      if (part !== undefined) made.append(part);
    } else if (child.nodeType === Node.TEXT_NODE) {
      made.append(document.createTextNode(child.nodeValue ?? ''));
    }
  }
  return made;
}
