import { edgeAttribute, graphAttribute, nodeAttribute } from '../graph/attributes.js';
import { attributeText, type Edge, type Graph, type Node } from '../graph/graph.js';
import { type HandlerType, handlerTypeNamed } from '../graph/handler-types.js';
import { knownHandlerTypes } from '../graph/known-handler-types.js';
import { handlerTypeOf } from '../graph/queries.js';
import { type Clusters, clustersOf, subgraphLabel } from './clusters.js';
import type { DrawingOptions } from './dot.js';
import { type RunOverlay, timesTaken, timesText, visitCaption } from './run-overlay.js';
import { drawableText, wrapText } from './text.js';
import { type Palette, paletteOf, type Tint } from './theme.js';

const labelLimits = { columns: 32, lines: 8 };
const edgeLimits = { columns: 40, lines: 8 };
const directions: ReadonlySet<string> = new Set(['TB', 'LR', 'BT', 'RL']);

/** Brackets that give a node its shape, by the shape of Graphviz. */
const bracketsOfShape: ReadonlyMap<string, readonly [open: string, close: string]> = new Map([
  ['Mdiamond', ['([', '])']],
  ['Msquare', ['([', '])']],
  ['hexagon', ['{{', '}}']],
  ['diamond', ['{', '}']],
  ['component', ['[[', ']]']],
  ['tripleoctagon', ['[[', ']]']],
  ['parallelogram', ['[/', '/]']],
  ['house', ['[/', '\\]']],
  ['folder', ['[(', ')]']],
]);

/**
 * Pipeline as a flowchart of Mermaid, for pages that support nothing else, such as a README. Every text of
 * the author is escaped, so that it can neither end its label nor be read as markup. Mermaid itself draws
 * at most 500 edges and 50 000 characters unless its host raises the limits.
 */
export function toMermaid(graph: Graph, options: DrawingOptions = {}): string {
  const flowchart = new Flowchart(graph, options);
  const direction = textOf(graph, 'rankdir').toUpperCase();
  const lines = [
    '---',
    `title: ${titleText(graphAttribute(graph, 'label').trim() || graph.name, options.overlay)}`,
    '---',
    `flowchart ${directions.has(direction) ? direction : 'TB'}`,
    ...flowchart.box(undefined, '  '),
    ...flowchart.edges(),
    ...flowchart.styles(),
  ];
  return `${lines.join('\n')}\n`;
}

/** Title as a text of YAML, in which Mermaid reads no entities: possible markup is left out. */
function titleText(title: string, overlay: RunOverlay | undefined): string {
  const text = overlay === undefined ? title : `${title} (${overlay.caption})`;
  return JSON.stringify(drawableText(text).replaceAll(/[<>&#;{}%`\s]+/g, ' '));
}

/** The lines of one drawing; ids are numbers, because Mermaid reads some words as keywords. */
class Flowchart {
  readonly #graph: Graph;
  readonly #overlay: RunOverlay | undefined;
  readonly #palette: Palette;
  readonly #handlerTypes: ReadonlySet<string>;
  readonly #clusters: Clusters;
  readonly #ids = new Map<string, string>();
  /** Ids by the class that colours them. */
  readonly #classes = new Map<
    string,
    { readonly tint: Tint; readonly ink: string; readonly ids: string[] }
  >();

  constructor(graph: Graph, { theme = 'auto', handlerTypes, overlay }: DrawingOptions) {
    this.#graph = graph;
    this.#overlay = overlay;
    this.#palette = paletteOf(theme);
    this.#handlerTypes = knownHandlerTypes(handlerTypes);
    this.#clusters = clustersOf(graph);
    for (const id of graph.nodes.keys()) this.#idOf(id);
  }

  box(index: number | undefined, indent: string): readonly string[] {
    const nodes = this.#clusters.nodesOf.get(index) ?? [];
    const inner = this.#clusters.childrenOf.get(index) ?? [];
    return [
      ...nodes.map((node) => `${indent}${this.#node(node)}`),
      ...inner.flatMap((subgraph) => [
        `${indent}subgraph c${subgraph.index}["${label(wrapText(subgraphLabel(subgraph), labelLimits)) || ' '}"]`,
        ...this.box(subgraph.index, `${indent}  `),
        `${indent}end`,
      ]),
    ];
  }

  edges(): readonly string[] {
    const lines = this.#graph.edges.map((edge) => `  ${this.#edge(edge)}`);
    for (const { from, to, reason, count } of this.#overlay?.jumps ?? []) {
      const text = label([reason.replaceAll('_', ' '), ...(count > 1 ? [timesText(count)] : [])]);
      lines.push(`  ${this.#idOf(from)} -.->|"${text}"| ${this.#idOf(to)}`);
    }
    return lines;
  }

  styles(): readonly string[] {
    const undeclared = [...this.#ids].filter(([id]) => !this.#graph.nodes.has(id));
    for (const [, id] of undeclared) {
      this.#color('undeclared', this.#palette.kinds.undeclared, this.#palette.ink, id);
    }
    return [
      ...undeclared.map(([name, id]) => `  ${id}["${label([name, 'not declared'])}"]`),
      ...[...this.#classes].flatMap(([name, { tint, ink, ids }]) => [
        `  classDef ${name} fill:${tint.fill},stroke:${tint.border},color:${ink}`,
        `  class ${ids.join(',')} ${name}`,
      ]),
      ...this.#pathStyle(),
    ];
  }

  #pathStyle(): readonly string[] {
    const { edges } = this.#graph;
    const indices = (isTaken: boolean) =>
      edges
        .filter((edge) => (timesTaken(edge, this.#overlay) ?? 0) > 0 === isTaken)
        .map(({ index }) => index);
    if (this.#overlay === undefined) return [];
    const jumps = this.#overlay.jumps.map((_, index) => edges.length + index);
    const { path, unreachedEdge } = this.#palette.run;
    return [
      { links: [...indices(true), ...jumps], style: `stroke:${path},stroke-width:3px` },
      { links: indices(false), style: `stroke:${unreachedEdge}` },
    ].flatMap(({ links, style }) => (links.length === 0 ? [] : [`  linkStyle ${links.join(',')} ${style}`]));
  }

  #node(node: Node): string {
    const handler = handlerTypeOf(this.#graph, node, this.#handlerTypes);
    const shape = handler.shape ?? 'box';
    const id = this.#idOf(node.id);
    const visited = this.#overlay?.nodes.get(node.id);
    const name = wrapText(nodeAttribute(node, 'label') ?? '', labelLimits);
    const lines = [
      ...(name.length > 0 ? name : wrapText(node.id, labelLimits)),
      ...(nodeAttribute(node, 'goal_gate') ? ['(goal gate)'] : []),
      ...(visited === undefined ? [] : [visitCaption(visited)].filter((line) => line !== '')),
    ];
    this.#colorNode(id, handler, visited?.state);
    const [open, close] = bracketsOfShape.get(shape) ?? ['(', ')'];
    return `${id}${open}"${label(lines)}"${close}`;
  }

  #colorNode(id: string, { type }: HandlerType, state: keyof Palette['run']['states'] | undefined): void {
    const { kinds, run, ink } = this.#palette;
    if (state !== undefined) return this.#color(state, run.states[state], ink, id);
    if (this.#overlay !== undefined) return this.#color('unreached', run.unreached, run.unreachedInk, id);
    const kind = handlerTypeNamed(type) === undefined ? 'custom' : (type as keyof Palette['kinds']);
    return this.#color(kind.replaceAll(/\W/g, '_'), kinds[kind], ink, id);
  }

  #color(name: string, tint: Tint, ink: string, id: string): void {
    const existing = this.#classes.get(`is_${name}`);
    if (existing === undefined) this.#classes.set(`is_${name}`, { tint, ink, ids: [id] });
    else existing.ids.push(id);
  }

  #edge(edge: Edge): string {
    const timesFollowed = timesTaken(edge, this.#overlay) ?? 0;
    const lines = [
      ...wrapText(edgeAttribute(edge, 'label'), edgeLimits),
      ...wrapText(edgeAttribute(edge, 'condition'), edgeLimits),
      ...(timesFollowed > 1 ? [timesText(timesFollowed)] : []),
    ];
    const arrow = edgeAttribute(edge, 'loop_restart') ? '-.->' : '-->';
    const text = lines.length === 0 ? '' : `|"${label(lines)}"|`;
    return `${this.#idOf(edge.from)} ${arrow}${text} ${this.#idOf(edge.to)}`;
  }

  #idOf(nodeId: string): string {
    const existing = this.#ids.get(nodeId);
    if (existing !== undefined) return existing;
    const id = `n${this.#ids.size}`;
    this.#ids.set(nodeId, id);
    return id;
  }
}

function textOf(graph: Graph, name: string): string {
  const attribute = graph.attributes.get(name);
  return attribute === undefined ? '' : attributeText(attribute.value);
}

/** Text between the quotes of a label: all ASCII signs with a possible meaning are written as numbers. */
function label(lines: readonly string[]): string {
  return lines
    .map((line) => drawableText(line).replaceAll(unsafe, (sign) => `#${sign.charCodeAt(0)};`))
    .join('<br/>');
}

const unsafe = /[^\w \u0080-\uffff,.?!·×…]/g;
