import type { EdgeAttributesObject } from 'ts-graphviz';
import { edgeAttribute } from '../graph/attributes.js';
import type { Edge } from '../graph/graph.js';
import { type AuthorStyle, authorStyle, styleList } from './author-style.js';
import {
  type ChangeOverlay,
  changeCaption,
  changeOfEdge,
  changeTint,
  type ElementChange,
} from './change-overlay.js';
import { labelOf, type TextBlock, textFamily } from './label.js';
import { type Jump, type RunOverlay, timesTaken, timesText } from './run-overlay.js';
import { quotableTooltip, wrapText } from './text.js';
import type { Palette } from './theme.js';

const labelLimits = { columns: 24, lines: 6 };
const conditionLimits = { columns: 40, lines: 8 };
const conditionSize = 9;
const labelSpacing = 3;
/** Weights in the layout; they have nothing to do with the `weight` of the language. */
const forwardWeight = 4;
const thinnest = 1.1;
const thickest = 2.3;
const takenWidth = 2.2;

/** Attributes that all edges share. */
export function edgeDefaults(palette: Palette): EdgeAttributesObject {
  return {
    fontname: textFamily,
    fontsize: 10.5,
    fontcolor: palette.ink,
    color: palette.edge,
    penwidth: thinnest,
    arrowsize: 0.7,
  };
}

/** Values for drawing an edge. */
interface EdgeDrawing {
  /** True if it leads further from the start, and so should be straight. */
  readonly isForward: boolean;
  readonly overlay?: RunOverlay;
  readonly changes?: ChangeOverlay | undefined;
}

/** Draws an edge: its label, its condition in a typewriter face (§2.7), dashed if it restarts the run. */
export function drawEdge(
  edge: Edge,
  palette: Palette,
  { isForward, overlay, changes }: EdgeDrawing,
): EdgeAttributesObject {
  const label = edgeAttribute(edge, 'label');
  const condition = edgeAttribute(edge, 'condition');
  const isRestart = edgeAttribute(edge, 'loop_restart');
  const timesFollowed = timesTaken(edge, overlay);
  const change = changeOfEdge(edge, changes);
  const author = styleOf(edge, timesFollowed, changes && { change }, palette);
  const width = penWidth(edge, author);
  const blocks = [
    { lines: wrapText(label, labelLimits) },
    {
      lines: wrapText(condition, conditionLimits),
      color: author.fontColor ?? palette.mutedInk,
      size: conditionSize,
      face: 'Courier' as const,
    },
    ...timesBlocks(timesFollowed, palette),
    ...changeBlocks(change, palette),
  ];
  const styles = [...(isRestart ? (['dashed'] as const) : []), ...author.styles];
  const className = [
    ...(condition.trim() === '' ? [] : ['conditional']),
    ...(isRestart ? ['loop-restart'] : []),
    ...(timesFollowed === undefined ? [] : [timesFollowed > 0 ? 'taken' : 'not-taken']),
    ...(change === undefined ? [] : [change.kind]),
  ];
  return {
    id: edgeElementId(edge),
    class: className.join(' ') || undefined,
    label: blocks.some(({ lines }) => lines.length > 0)
      ? labelOf(blocks, { spacing: labelSpacing })
      : undefined,
    tooltip: quotableTooltip(tooltipOf(edge, author.tooltip)),
    color: author.color,
    fontcolor: author.fontColor,
    penwidth: width === thinnest ? undefined : width,
    weight: isForward ? forwardWeight : undefined,
    style: styles.length > 0 ? styleList(styles) : undefined,
  };
}

/** Draws a jump of control that no edge describes, such as to a retry target. */
export function drawJump({ from, to, reason, count }: Jump, palette: Palette): EdgeAttributesObject {
  const lines = wrapText(reason.replaceAll('_', ' '), labelLimits);
  return {
    class: 'jump taken',
    label: labelOf(
      [{ lines, color: palette.mutedInk, size: conditionSize }, ...timesBlocks(count, palette)],
      {
        spacing: labelSpacing,
      },
    ),
    tooltip: quotableTooltip(`${from} -> ${to}\n${reason}, ${timesText(count)}`),
    color: palette.run.path,
    penwidth: takenWidth,
    style: 'dotted',
    constraint: false,
  };
}

/** Style of the author, unless a run or a comparison is drawn. */
function styleOf(
  edge: Edge,
  timesFollowed: number | undefined,
  compared: { readonly change: ElementChange | undefined } | undefined,
  palette: Palette,
): AuthorStyle {
  if (compared !== undefined) return changeStyle(compared.change, palette);
  return timesFollowed === undefined ? authorStyle(edge.attributes) : runStyle(timesFollowed, palette);
}

function changeStyle(change: ElementChange | undefined, palette: Palette): AuthorStyle {
  const { unreachedEdge, unreachedInk } = palette.run;
  if (change === undefined) return { color: unreachedEdge, fontColor: unreachedInk, styles: [] };
  const { border: color } = changeTint(change, palette);
  return { color, penWidth: takenWidth, styles: change.kind === 'removed' ? ['dashed'] : [] };
}

/** Attributes that differ; that an edge was added or removed is shown by its colour. */
function changeBlocks(change: ElementChange | undefined, palette: Palette): readonly TextBlock[] {
  if (change === undefined || change.words === '') return [];
  const color = changeTint(change, palette).border;
  return [{ lines: wrapText(changeCaption(change), labelLimits), color, size: conditionSize, bold: true }];
}

/** Style that replaces the author's, which would hide the progress of the run. */
function runStyle(timesFollowed: number, { run }: Palette): AuthorStyle {
  return timesFollowed > 0
    ? { color: run.path, penWidth: takenWidth, styles: [] }
    : { color: run.unreachedEdge, fontColor: run.unreachedInk, styles: [] };
}

/** Number of times in a label; a single time is shown by the colour. */
function timesBlocks(count: number | undefined, palette: Palette): readonly TextBlock[] {
  if (count === undefined || count < 2) return [];
  return [{ lines: [timesText(count)], color: palette.run.path, size: 10, bold: true }];
}

/** Element id of an edge in the drawing; overlays rely on it. */
function edgeElementId(edge: Edge): string {
  return `edge-${edge.index}`;
}

/** Pen width of an edge: heavier edges are stronger, on a scale for values from 1 to 100. */
function penWidth(edge: Edge, author: AuthorStyle): number {
  if (author.penWidth !== undefined) return author.penWidth;
  const weight = Math.max(0, Number(edgeAttribute(edge, 'weight')) || 0);
  const strength = Math.min(thickest, thinnest + 0.6 * Math.log10(1 + weight));
  return Math.round(strength * 100) / 100;
}

function tooltipOf(edge: Edge, authorTooltip: string | undefined): string {
  const weight = edge.attributes.get('weight');
  const parts = [
    `${edge.from} -> ${edge.to}`,
    authorTooltip ?? '',
    edgeAttribute(edge, 'label'),
    edgeAttribute(edge, 'condition'),
    weight === undefined ? '' : `weight ${edgeAttribute(edge, 'weight')}`,
    edgeAttribute(edge, 'loop_restart') ? 'restarts the run' : '',
  ];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n');
}
