export interface Element {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Element[];
  /** Of its own, with entities decoded. */
  text: string;
}

const token = /<!--|<\/([\w:]+)>|<([\w:]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
const attribute = /([\w:-]+)="([^"]*)"/g;
const entities = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** The elements of an SVG document; throws where it is not well-formed, as a browser would. */
export function readSvg(svg: string): Element {
  const root: Element = { tag: '#document', attributes: new Map(), children: [], text: '' };
  const open = [root];
  token.lastIndex = 0;
  while (token.lastIndex < svg.length) {
    const start = token.lastIndex;
    const match = token.exec(svg);
    const parent = open.at(-1);
    if (match === null || parent === undefined) throw new Error(`not XML: ${svg.slice(start, start + 80)}`);
    const [, closing, opening, attributes = '', empty, text] = match;
    if (text !== undefined) {
      parent.text += decode(text);
    } else if (closing !== undefined) {
      if (open.pop()?.tag !== closing) throw new Error(`</${closing}> closes nothing at ${start}`);
    } else if (opening !== undefined) {
      const read = [...attributes.matchAll(attribute)].map(
        ([, name = '', value = '']) => [name, decode(value)] as const,
      );
      if (new Set(read.map(([name]) => name)).size < read.length)
        throw new Error(`an attribute twice: ${attributes}`);
      const element: Element = { tag: opening, attributes: new Map(read), children: [], text: '' };
      parent.children.push(element);
      if (empty === '') open.push(element);
    }
  }
  const [svgElement, ...others] = root.children;
  if (open.length > 1 || svgElement === undefined || others.length > 0)
    throw new Error('not one closed element');
  return svgElement;
}

function decode(text: string): string {
  const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u.exec(text);
  if (forbidden !== null) throw new Error(`a character that XML forbids: ${JSON.stringify(forbidden[0])}`);
  return text.replaceAll(/&(?:#x([0-9a-f]+)|#([0-9]+)|(\w*));?/gi, (whole, hex, decimal, name) => {
    if (!whole.endsWith(';')) throw new Error(`an unfinished entity: ${text}`);
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    const character = entities.get(name);
    if (character === undefined) throw new Error(`an unknown entity: ${whole}`);
    return character;
  });
}

export function elementsIn(element: Element): readonly Element[] {
  return [element, ...element.children.flatMap(elementsIn)];
}

/** The element with an id; throws where there is none, or more than one. */
export function elementWithId(root: Element, id: string): Element {
  const [found, ...others] = elementsIn(root).filter(({ attributes }) => attributes.get('id') === id);
  if (found === undefined || others.length > 0) throw new Error(`${others.length + 1} elements "${id}"`);
  return found;
}

/** The lines of text that an element shows. */
export function linesIn(element: Element): readonly string[] {
  return elementsIn(element)
    .filter(({ tag }) => tag === 'text')
    .map(({ text }) => text.trim());
}

/** Graphviz keeps runs of blanks by making them hard ones, here they are blanks again. */
export function tooltipOf({ children }: Element): string | undefined {
  return children.find(({ tag }) => tag === 'title')?.text.replaceAll('\u00a0', ' ');
}
