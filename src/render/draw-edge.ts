import type { EdgeAttributesObject } from 'ts-graphviz';
import { edgeAttribute } from '../graph/attributes.js';
import type { Edge } from '../graph/graph.js';
import { type AuthorStyle, authorStyle, styleList } from './author-style.js';
import { labelOf, textFamily } from './label.js';
import { quotableTooltip, wrapText } from './text.js';
import type { Palette } from './theme.js';

const labelLimits = { columns: 24, lines: 6 };
const conditionLimits = { columns: 40, lines: 8 };
const conditionSize = 9;
const labelSpacing = 3;
/** Of the layout; this has nothing to do with the `weight` of the language. */
const forwardWeight = 4;
const thinnest = 1.1;
const thickest = 2.3;

/** What all edges share. */
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

/**
 * A route: its label, its condition in a typewriter face (§2.7), dashed where it restarts the run.
 * @param isForward whether it leads further from the start, and so is to be kept straight
 */
export function drawEdge(edge: Edge, palette: Palette, isForward: boolean): EdgeAttributesObject {
  const label = edgeAttribute(edge, 'label');
  const condition = edgeAttribute(edge, 'condition');
  const isRestart = edgeAttribute(edge, 'loop_restart');
  const author = authorStyle(edge.attributes);
  const width = penWidth(edge, author);
  const blocks = [
    { lines: wrapText(label, labelLimits) },
    {
      lines: wrapText(condition, conditionLimits),
      color: author.fontColor ?? palette.mutedInk,
      size: conditionSize,
      face: 'Courier' as const,
    },
  ];
  const styles = [...(isRestart ? (['dashed'] as const) : []), ...author.styles];
  const className = [
    ...(condition.trim() === '' ? [] : ['conditional']),
    ...(isRestart ? ['loop-restart'] : []),
  ];
  return {
    id: edgeElementId(edge),
    ...(className.length > 0 && { class: className.join(' ') }),
    ...(blocks.some(({ lines }) => lines.length > 0) && {
      label: labelOf(blocks, { spacing: labelSpacing }),
    }),
    tooltip: quotableTooltip(tooltipOf(edge, author.tooltip)),
    ...(author.color !== undefined && { color: author.color }),
    ...(author.fontColor !== undefined && { fontcolor: author.fontColor }),
    ...(width !== thinnest && { penwidth: width }),
    ...(isForward && { weight: forwardWeight }),
    ...(styles.length > 0 && { style: styleList(styles) }),
  };
}

/** What the element of an edge is called in the drawing; overlays rely on it. */
function edgeElementId(edge: Edge): string {
  return `edge-${edge.index}`;
}

/** Heavier edges are stronger, on a scale that 1 and 100 both fit. */
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
