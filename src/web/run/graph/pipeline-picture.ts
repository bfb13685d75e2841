import { type RunOverlay, timesText, type VisitedNode, visitCaption } from '../../../render/run-overlay.js';
import { type AdoptedSvg, svgNamespace } from './adopt-svg.js';
import { jumpPath } from './jump-path.js';
import type { Viewport } from './viewport.js';

/** A stage as the picture names it to screen readers. */
export interface PictureNode {
  readonly id: string;
  readonly label: string;
  readonly handler: string;
}

const captionHeight = 13;
const longestCaption = 30;
const letterWidth = 5.1;
/** On an edge, as a part of its length. */
const captionPlace = 0.35;
/** Distance by which the caption of a stage protrudes beyond its corner. */
const captionOverhang = 7;

/**
 * Picture of a pipeline, drawn once and coloured as a run continues (SEMANTICS 73a): stages do not move
 * meanwhile.
 */
export class PipelinePicture {
  readonly svg: SVGSVGElement;
  readonly size: AdoptedSvg['size'];
  readonly #groups: AdoptedSvg['groups'];
  readonly #names: ReadonlyMap<string, string>;
  readonly #shapes = new Map<SVGGElement, DOMRect>();
  /** Groups of ours, by what they belong to; what is in them has been painted with that text. */
  readonly #captions = new Map<string, { readonly text: string; readonly group: SVGGElement }>();
  #jumps: { readonly key: string; readonly group: SVGGElement } | undefined;

  constructor({ svg, groups, size }: AdoptedSvg, nodes: readonly PictureNode[]) {
    this.svg = svg;
    this.size = size;
    this.#groups = groups;
    this.#names = new Map(
      nodes.map(({ id, label }) => [id, label === '' || label === id ? id : `${label} (${id})`]),
    );
    svg.removeAttribute('viewBox');
    svg.setAttribute('role', 'group');
    for (const [index, id] of this.nodeIds.entries()) this.#prepare(id, index === 0);
  }

  /** Those that are drawn, in the order of the text. */
  get nodeIds(): readonly string[] {
    return [...this.#names.keys()].filter((id) => this.#groups.has(`node-${id}`));
  }

  /** Colours what happened; what is not mentioned was not reached. */
  paint(overlay: Omit<RunOverlay, 'caption'>, selected: string | undefined): void {
    for (const [id, name] of this.#names) {
      const group = this.node(id);
      if (group === undefined) continue;
      const visited = overlay.nodes.get(id);
      mark(group, 'data-state', visited?.state ?? 'unreached');
      mark(group, 'aria-label', `${name}, ${describeVisits(visited)}`);
      mark(group, 'aria-pressed', String(id === selected));
      this.#caption(`node-${id}`, group, captionOf(visited), () => {
        const { x, y, width } = this.#boxInGraph(group);
        return width === 0 ? undefined : { x: x + width + captionOverhang, y, anchor: 'end' };
      });
    }
    for (const [name, group] of this.#groups) {
      const index = edgeIndex(name);
      if (index !== undefined) this.#paintEdge(name, group, overlay.edges.get(index) ?? 0);
    }
    this.#paintJumps(overlay.jumps);
  }

  /** The group of a node, which can have the focus. */
  node(id: string): SVGGElement | undefined {
    return this.#groups.get(`node-${id}`);
  }

  /** The node that an element of the picture belongs to. */
  nodeAt(element: EventTarget | null): string | undefined {
    const group = element instanceof Element ? element.closest('[data-node]') : null;
    return group?.getAttribute('data-node') ?? undefined;
  }

  /** Sets the node that the Tab key leads to. */
  setTabStop(id: string): void {
    for (const other of this.nodeIds) this.node(other)?.setAttribute('tabindex', other === id ? '0' : '-1');
  }

  /** Box of a node in the drawing; undefined if it is not drawn, or not yet visible. */
  boxOf(id: string): Viewport | undefined {
    const group = this.node(id);
    if (group === undefined) return undefined;
    const { x, y, width, height } = this.#boxInGraph(group);
    if (width === 0) return undefined;
    const shift = this.#groups.get('pipeline')?.transform.baseVal.consolidate()?.matrix;
    return { x: x + (shift?.e ?? 0), y: y + (shift?.f ?? 0), width, height };
  }

  #prepare(id: string, isFirst: boolean): void {
    const group = this.node(id);
    if (group === undefined) return;
    group.setAttribute('data-node', id);
    group.setAttribute('role', 'button');
    group.setAttribute('tabindex', isFirst ? '0' : '-1');
    // Over the heads of edges, which would go through its caption.
    group.parentNode?.append(group);
  }

  /** Box of the drawn shape, without later additions; empty if it is not yet visible. */
  #boxInGraph(group: SVGGElement): DOMRect {
    const known = this.#shapes.get(group);
    if (known !== undefined) return known;
    const box = group.getBBox();
    if (box.width > 0) this.#shapes.set(group, box);
    return box;
  }

  #paintEdge(name: string, group: SVGGElement, taken: number): void {
    mark(group, 'data-taken', String(taken > 0));
    const label = this.#groups.get(`${name}-label`);
    if (label !== undefined) mark(label, 'data-taken', String(taken > 0));
    this.#caption(name, group, taken > 1 ? timesText(taken) : '', () => {
      const path = group.querySelector('path');
      // Nearer to its beginning, so that those of an edge and of the one back do not hide each other.
      const middle = path?.getPointAtLength(path.getTotalLength() * captionPlace);
      return { x: middle?.x ?? 0, y: (middle?.y ?? 0) + captionHeight / 2 };
    });
  }

  #caption(name: string, group: SVGGElement, text: string, placeOf: () => CaptionPosition | undefined): void {
    const known = this.#captions.get(name);
    if ((known?.text ?? '') === text) return;
    const place = placeOf();
    if (place === undefined) return;
    known?.group.remove();
    this.#captions.delete(name);
    if (text === '') return;
    const made = captionGroup(text, place);
    group.append(made);
    this.#captions.set(name, { text, group: made });
  }

  #paintJumps(jumps: RunOverlay['jumps']): void {
    const key = JSON.stringify(jumps);
    if (this.#jumps?.key === key) return;
    this.#jumps?.group.remove();
    const group = made('g', { class: 'jumps' });
    for (const { from, to, reason, count } of jumps) {
      const [start, end] = [this.node(from), this.node(to)];
      if (start === undefined || end === undefined) continue;
      const { line, arrow, label } = jumpPath(this.#boxInGraph(start), this.#boxInGraph(end));
      const title = made('title');
      title.textContent = `${from} to ${to}: ${reason.replaceAll('_', ' ')}, ${timesText(count)}`;
      const jump = made('g', { class: 'jump' });
      const text = `${reason.replaceAll('_', ' ')}${count > 1 ? ` · ${timesText(count)}` : ''}`;
      jump.append(
        title,
        made('path', { d: line, class: 'line' }),
        made('path', { d: arrow, class: 'arrow' }),
      );
      jump.append(captionGroup(text, { x: label.x, y: label.y + captionHeight / 2 }));
      group.append(jump);
    }
    (this.#groups.get('pipeline') ?? this.svg).append(group);
    this.#jumps = { key, group };
  }
}

function edgeIndex(name: string): number | undefined {
  const found = /^edge-(\d+)$/.exec(name);
  return found === null ? undefined : Number(found[1]);
}

/** A sign or a word for every state: the colour never says it alone. */
function captionOf(visited: VisitedNode | undefined): string {
  if (visited === undefined) return '';
  const text = visitCaption(visited);
  const caption = visited.state === 'done' && visited.words === '' ? `✓ ${text}`.trim() : text;
  return caption.length > longestCaption ? `${caption.slice(0, longestCaption - 1)}…` : caption;
}

function describeVisits(visited: VisitedNode | undefined): string {
  if (visited === undefined) return 'not reached';
  const words = visited.words === '' ? visited.state : visited.words;
  return visited.visits > 1 ? `${words}, entered ${visited.visits} times` : words;
}

/** Position of a caption: around a point, or ending there. */
interface CaptionPosition {
  readonly x: number;
  readonly y: number;
  readonly anchor?: 'end';
}

/** A small plate with a text. */
function captionGroup(text: string, { x, y, anchor }: CaptionPosition): SVGGElement {
  const width = Math.max(captionHeight, text.length * letterWidth + 9);
  const middle = anchor === 'end' ? x - width / 2 : x;
  const group = made('g', { class: 'caption', 'aria-hidden': 'true' });
  const plate = made('rect', {
    x: String(middle - width / 2),
    y: String(y - captionHeight / 2),
    width: String(width),
    height: String(captionHeight),
    rx: String(captionHeight / 2),
  });
  const words = made('text', { x: String(middle), y: String(y + 3.1), 'text-anchor': 'middle' });
  words.textContent = text;
  group.append(plate, words);
  return group;
}

function made<Name extends 'g' | 'path' | 'rect' | 'text' | 'title'>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(svgNamespace, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
}

/** An attribute that is as it should be already is left alone: a large picture is painted often. */
function mark(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
