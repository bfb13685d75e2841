import type { Color, NodeAttributesObject, Point } from 'ts-graphviz';
import { nodeAttribute } from '../graph/attributes.js';
import type { Graph, Node } from '../graph/graph.js';
import { type HandlerType, handlerTypeNamed } from '../graph/handler-types.js';
import { handlerTypeOf } from '../graph/queries.js';
import { type AuthorStyle, authorStyle, styleList } from './author-style.js';
import {
  type ChangeOverlay,
  changeCaption,
  changeOfNode,
  changeTint,
  type ElementChange,
} from './change-overlay.js';
import { labelOf, type TextBlock, textFamily } from './label.js';
import { type RunOverlay, type VisitedNode, visitCaption } from './run-overlay.js';
import { quotable, quotableTooltip, wrapText } from './text.js';
import { inkOnAuthorsFill, type NodeKind, ownFillClass, type Palette } from './theme.js';

export interface NodeDrawing {
  readonly graph: Graph;
  readonly palette: Palette;
  readonly handlerTypes: ReadonlySet<string>;
  readonly overlay?: RunOverlay;
  readonly changes?: ChangeOverlay | undefined;
}

const labelLines = 8;
const labelColumns = 28;
/** Columns for text in shapes that have less room than their width suggests. */
const labelColumnsOfShape: ReadonlyMap<string, number> = new Map([
  ['Mdiamond', 16],
  ['diamond', 18],
  ['hexagon', 24],
  ['house', 24],
]);
/** Margin of shapes whose slanting sides leave enough room, in inches. */
const usualMargin: Point = '0.2,0.1';
const marginOfShape: ReadonlyMap<string, Point> = new Map([
  ['Mdiamond', '0.08,0.05'],
  ['Msquare', '0.12,0.06'],
  ['diamond', '0.08,0.05'],
  ['hexagon', '0.1,0.08'],
  ['house', '0.12,0.04'],
  ['parallelogram', '0,0.02'],
  ['tripleoctagon', '0.1,0.06'],
]);
const visitedPenWidth = 1.8;
const captionSize = 9;
const captionLimits = { columns: 34, lines: 2 };

/**
 * Attributes that all nodes share, with the look of an LLM stage, which most nodes are: those then repeat
 * nothing.
 */
export function nodeDefaults(palette: Palette): NodeAttributesObject {
  return {
    fontname: textFamily,
    fontsize: 12,
    fontcolor: palette.ink,
    height: 0.45,
    penwidth: 1.2,
    margin: usualMargin,
    ...shapePresentation('box', []),
    ...tintPresentation(palette.kinds.codergen),
  };
}

/**
 * Draws a stage: the shape and colour of its handler type (§2.8), its label, its model, and a mark of a
 * goal gate.
 */
export function drawNode(
  node: Node,
  { graph, palette, handlerTypes, overlay, changes }: NodeDrawing,
): NodeAttributesObject {
  const handler = handlerTypeOf(graph, node, handlerTypes);
  const kind = kindOf(handler);
  // The handler's own shape, so that a `type` attribute is visible.
  const shape = handler.shape ?? 'box';
  const isGoalGate = nodeAttribute(node, 'goal_gate');
  const visited = overlay?.nodes.get(node.id);
  const change = changeOfNode(node, changes);
  // Over a run or a comparison, only its own facts have a colour.
  const isPlain = overlay === undefined && changes === undefined;
  const author: AuthorStyle = isPlain ? authorStyle(node.attributes) : { styles: stylesOf(change) };
  const { ink, captionInk, tint } =
    changes === undefined
      ? colorsOf(kind, author, palette, overlay && { visited })
      : colorsOfChange(change, palette);
  const presentation: NodeAttributesObject = {
    id: quotable(nodeElementId(node.id)),
    class: [
      ...classNames(kind, isGoalGate, author),
      ...runClasses(overlay, visited),
      ...(change === undefined ? [] : [change.kind]),
    ].join(' '),
    label: labelOf([
      { lines: stageName(node, shape) },
      ...captions(node, handler, isGoalGate, captionInk),
      ...visitCaptions(visited, palette),
      ...changeCaptions(change, palette),
    ]),
    tooltip: quotableTooltip(tooltipOf(node, handler, author)),
    fontcolor: ink,
    ...shapePresentation(shape, author.styles),
    ...tintPresentation({ fill: author.fillColor ?? tint.fill, border: author.color ?? tint.border }),
    penwidth:
      author.penWidth ?? (visited === undefined && change === undefined ? undefined : visitedPenWidth),
    peripheries: isGoalGate && shape !== 'tripleoctagon' ? 2 : undefined,
  };
  return unlikeDefaults(presentation, palette);
}

/** Draws an id that edges mention but no statement declares, so that the mistake is visible. */
export function drawUndeclaredNode(id: string, { palette }: NodeDrawing): NodeAttributesObject {
  const tint = palette.kinds.undeclared;
  const presentation: NodeAttributesObject = {
    id: quotable(nodeElementId(id)),
    class: 'kind-undeclared',
    label: labelOf([
      { lines: wrapText(id, { columns: labelColumns, lines: labelLines }) },
      { lines: ['not declared'], color: tint.border, size: captionSize, bold: true },
    ]),
    tooltip: quotableTooltip(`${id} is the end of an edge but is not declared`),
    ...shapePresentation('box', ['dashed']),
    ...tintPresentation(tint),
  };
  return unlikeDefaults(presentation, palette);
}

/** Element id of a node in the drawing; overlays and links rely on it. */
function nodeElementId(id: string): string {
  return `node-${id}`;
}

function kindOf(handler: HandlerType): NodeKind {
  return handlerTypeNamed(handler.type) === undefined ? 'custom' : (handler.type as NodeKind);
}

interface NodeColors {
  readonly ink: Color;
  readonly captionInk: Color;
  readonly tint: NodeTint;
}

/** @param run state of the node in a run, if one is drawn */
function colorsOf(
  kind: NodeKind,
  author: AuthorStyle,
  palette: Palette,
  run: { readonly visited: VisitedNode | undefined } | undefined,
): NodeColors {
  if (run !== undefined && run.visited === undefined) {
    const { unreachedInk, unreached } = palette.run;
    return { ink: unreachedInk, captionInk: unreachedInk, tint: unreached };
  }
  const tint = run?.visited === undefined ? palette.kinds[kind] : palette.run.states[run.visited.state];
  const ink = author.fontColor ?? (author.fillColor === undefined ? palette.ink : inkOnAuthorsFill);
  return { ink, captionInk: ink === palette.ink ? palette.mutedInk : ink, tint };
}

function colorsOfChange(change: ElementChange | undefined, palette: Palette): NodeColors {
  const { unreachedInk, unreached } = palette.run;
  if (change === undefined) return { ink: unreachedInk, captionInk: unreachedInk, tint: unreached };
  return { ink: palette.ink, captionInk: palette.mutedInk, tint: changeTint(change, palette) };
}

function stylesOf(change: ElementChange | undefined): AuthorStyle['styles'] {
  return change?.kind === 'removed' ? ['dashed'] : [];
}

function changeCaptions(change: ElementChange | undefined, palette: Palette): readonly TextBlock[] {
  if (change === undefined) return [];
  const color = changeTint(change, palette).border;
  return [{ lines: wrapText(changeCaption(change), captionLimits), color, size: captionSize, bold: true }];
}

function runClasses(overlay: RunOverlay | undefined, visited: VisitedNode | undefined): readonly string[] {
  return overlay === undefined ? [] : [visited === undefined ? 'unreached' : `state-${visited.state}`];
}

function visitCaptions(visited: VisitedNode | undefined, palette: Palette): readonly TextBlock[] {
  if (visited === undefined) return [];
  const color = palette.run.states[visited.state].border;
  return [{ lines: wrapText(visitCaption(visited), captionLimits), color, size: captionSize, bold: true }];
}

function classNames(kind: NodeKind, isGoalGate: boolean, { fillColor }: AuthorStyle): readonly string[] {
  const names = [`kind-${kind.replaceAll(/[._]/g, '-')}`];
  if (isGoalGate) names.push('goal-gate');
  if (fillColor !== undefined) names.push(ownFillClass);
  return names;
}

function shapePresentation(shape: string, styles: AuthorStyle['styles']): NodeAttributesObject {
  return {
    shape,
    style: styleList(['filled', ...(shape === 'box' ? (['rounded'] as const) : []), ...styles]),
    margin: marginOfShape.get(shape) ?? usualMargin,
  };
}

interface NodeTint {
  readonly fill: Color;
  readonly border: Color;
}

function tintPresentation({ fill, border }: NodeTint): NodeAttributesObject {
  return { fillcolor: fill, color: border };
}

function unlikeDefaults(presentation: NodeAttributesObject, palette: Palette): NodeAttributesObject {
  const defaults = new Map(Object.entries(nodeDefaults(palette)));
  return Object.fromEntries(
    Object.entries(presentation).filter(([key, value]) => defaults.get(key) !== value),
  );
}

function stageName(node: Node, shape: string): readonly string[] {
  const columns = labelColumnsOfShape.get(shape) ?? labelColumns;
  const lines = wrapText(nodeAttribute(node, 'label') ?? '', { columns, lines: labelLines });
  return lines.length > 0 ? lines : wrapText(node.id, { columns, lines: labelLines });
}

function captions(node: Node, handler: HandlerType, isGoalGate: boolean, color: Color): readonly TextBlock[] {
  const type = nodeAttribute(node, 'type');
  const model = handler.llm ? (nodeAttribute(node, 'llm_model') ?? '') : '';
  // Shapes and colours distinguish the handler types of the language, but not registered ones.
  const otherType = handlerTypeNamed(type) === undefined ? type : '';
  const caption = { color, size: captionSize };
  return [
    { ...caption, lines: wrapText(otherType, captionLimits) },
    { ...caption, lines: wrapText(model, captionLimits) },
    { ...caption, lines: isGoalGate ? ['goal gate'] : [], bold: true },
  ];
}

/** Full description of a stage's work: the drawing itself shows its name only. */
function tooltipOf(node: Node, handler: HandlerType, author: AuthorStyle): string {
  const heading = [`${node.id}: ${handler.title}`, nodeAttribute(node, 'label') ?? '', author.tooltip ?? ''];
  const work = [nodeAttribute(node, 'prompt'), nodeAttribute(node, 'tool_command')];
  return [joinTexts(heading, '\n'), joinTexts(work, '\n\n')].filter((part) => part !== '').join('\n\n');
}

function joinTexts(texts: readonly string[], separator: string): string {
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join(separator);
}
