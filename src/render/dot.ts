import {
  Digraph,
  type GraphAttributesObject,
  type GraphBaseModel,
  type SubgraphAttributesObject,
  toDot,
} from 'ts-graphviz';
import { graphAttribute } from '../graph/attributes.js';
import { type AttributeMap, attributeText, type Graph, type Subgraph } from '../graph/graph.js';
import type { HandlerType } from '../graph/handler-types.js';
import { knownHandlerTypes } from '../graph/known-handler-types.js';
import { authorStyle, styleList } from './author-style.js';
import type { ChangeOverlay } from './change-overlay.js';
import { type Clusters, clustersOf, subgraphLabel } from './clusters.js';
import { drawEdge, drawJump, edgeDefaults } from './draw-edge.js';
import { drawNode, drawUndeclaredNode, type NodeDrawing, nodeDefaults } from './draw-node.js';
import { labelOf, textFamily } from './label.js';
import type { RunOverlay } from './run-overlay.js';
import { stepsFromStart } from './steps.js';
import { quotable, quotableTooltip, wrapText } from './text.js';
import { type Palette, paletteOf, type Theme } from './theme.js';

export interface DrawingOptions {
  /** `auto` by default; drawn light if there cannot be a style sheet (DOT). */
  readonly theme?: Theme;
  /** Handler types that the program registers besides those of the language (§4.12). */
  readonly handlerTypes?: Iterable<string | HandlerType>;
  /** Overlay of a run: the drawing is then coloured by its progress, and no longer by handler types. */
  readonly overlay?: RunOverlay;
  /** Differences between two versions, of which the graph has the elements; then only they have a colour. */
  readonly changes?: ChangeOverlay;
}

type RankDirection = 'TB' | 'LR' | 'BT' | 'RL';

const rankDirections: ReadonlySet<string> = new Set(['TB', 'LR', 'BT', 'RL'] satisfies RankDirection[]);

/**
 * Pipeline as a graph that Graphviz itself can draw (§1.2): presentation attributes only, one edge a
 * statement. Handler types, conditions, goal gates and restarts are visible; prompts are tooltips. Every
 * node has the element id `node-<id>`, every edge `edge-<index>`, every box `cluster-<index of the
 * subgraph>`.
 */
export function toGraphvizDot(graph: Graph, options: DrawingOptions = {}): string {
  const palette = paletteOf(options.theme ?? 'auto');
  const handlerTypes = knownHandlerTypes(options.handlerTypes);
  const { overlay, changes } = options;
  const model = new Digraph(
    quotable(graph.name),
    graphPresentation(graph, palette, overlay?.caption ?? changes?.caption),
  );
  model.node(nodeDefaults(palette));
  model.edge(edgeDefaults(palette));
  const clusters = clustersOf(graph);
  fillBox(model, undefined, { graph, palette, handlerTypes, clusters, overlay, changes });
  const steps = stepsFromStart(graph);
  for (const edge of graph.edges) {
    const isForward = (steps.get(edge.to) ?? 0) > (steps.get(edge.from) ?? 0);
    model.createEdge(
      [{ id: quotable(edge.from) }, { id: quotable(edge.to) }],
      drawEdge(edge, palette, { isForward, overlay, changes }),
    );
  }
  for (const jump of overlay?.jumps ?? []) {
    model.createEdge([{ id: quotable(jump.from) }, { id: quotable(jump.to) }], drawJump(jump, palette));
  }
  return `${toDot(model, { convert: { maxASTNodes: 0 } })}\n`;
}

function graphPresentation(
  graph: Graph,
  palette: Palette,
  caption: string | undefined,
): GraphAttributesObject {
  const direction = textOf(graph.attributes, 'rankdir').toUpperCase();
  const title = graphAttribute(graph, 'label').trim() || graph.name;
  const isWide = direction === 'LR' || direction === 'RL';
  const columns = isWide ? 100 : 64;
  const goalLines = wrapText(graphAttribute(graph, 'goal'), { columns, lines: 5 });
  const runLines = wrapText(caption ?? '', { columns, lines: 3 });
  return {
    id: 'pipeline',
    rankdir: isRankDirection(direction) ? direction : 'TB',
    label: labelOf(
      [
        { lines: wrapText(title, { columns: 60, lines: 3 }), size: 16, bold: true },
        { lines: goalLines, color: palette.mutedInk, size: 11 },
        { lines: runLines, size: 11, bold: true },
        { lines: [''], size: 4 },
      ],
      { align: 'left', spacing: 3 },
    ),
    labelloc: 't',
    labeljust: 'l',
    fontname: textFamily,
    fontcolor: palette.ink,
    bgcolor: palette.page,
    pad: 0.25,
    nodesep: 0.35,
    ranksep: 0.5,
  };
}

function isRankDirection(word: string): word is RankDirection {
  return rankDirections.has(word);
}

interface BoxContent extends NodeDrawing {
  readonly clusters: Clusters;
}

/** Draws the content of a subgraph, or, without an index, the top level; the parser limits the nesting. */
function fillBox(
  box: Pick<GraphBaseModel, 'createNode' | 'createSubgraph'>,
  index: number | undefined,
  content: BoxContent,
): void {
  const { graph, clusters, palette } = content;
  for (const node of clusters.nodesOf.get(index) ?? []) {
    box.createNode(quotable(node.id), drawNode(node, content));
  }
  if (index === undefined) {
    for (const id of undeclaredIds(graph)) box.createNode(quotable(id), drawUndeclaredNode(id, content));
  }
  for (const ids of clusters.ranksOf.get(index) ?? []) {
    const rank = box.createSubgraph({ rank: 'same' });
    for (const id of ids) rank.createNode(quotable(id));
  }
  for (const subgraph of clusters.childrenOf.get(index) ?? []) {
    const inner = box.createSubgraph(`cluster_${subgraph.index}`, boxPresentation(subgraph, palette));
    fillBox(inner, subgraph.index, content);
  }
}

function boxPresentation(subgraph: Subgraph, palette: Palette): SubgraphAttributesObject {
  const author = authorStyle(subgraph.attributes);
  const lines = wrapText(subgraphLabel(subgraph), { columns: 40, lines: 3 });
  const color = author.fontColor ?? palette.mutedInk;
  return {
    id: `cluster-${subgraph.index}`,
    label:
      lines.length > 0
        ? labelOf([{ lines, color, size: 11, bold: true }], { align: 'left', spacing: 4 })
        : undefined,
    tooltip: quotableTooltip(subgraphLabel(subgraph) || (subgraph.name ?? 'subgraph')),
    labeljust: 'l',
    labelloc: 't',
    margin: 14,
    style: styleList(['filled', 'rounded', ...author.styles]),
    fillcolor: author.fillColor ?? palette.cluster.fill,
    color: author.color ?? palette.cluster.border,
    penwidth: author.penWidth ?? 1,
  };
}

function undeclaredIds(graph: Graph): ReadonlySet<string> {
  const ends = graph.edges.flatMap(({ from, to }) => [from, to]);
  return new Set(ends.filter((id) => !graph.nodes.has(id)));
}

function textOf(attributes: AttributeMap, name: string): string {
  const attribute = attributes.get(name);
  return attribute === undefined ? '' : attributeText(attribute.value);
}
