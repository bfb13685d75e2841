import type { Color, Style } from 'ts-graphviz';
import { type AttributeMap, attributeText } from '../graph/graph.js';

/**
 * Graphviz attributes of the author that a drawing respects; the others are left out. `style=invis` is one
 * of those: a stage that runs is shown.
 */
export interface AuthorStyle {
  readonly color?: Color;
  readonly fillColor?: Color;
  readonly fontColor?: Color;
  readonly penWidth?: number;
  readonly styles: readonly StyleWord[];
  readonly tooltip?: string;
}

type StyleWord = 'filled' | 'dashed' | 'dotted' | 'bold' | 'rounded' | 'diagonals';

const styleWords: readonly StyleWord[] = ['dashed', 'dotted', 'bold', 'rounded', 'diagonals'];
const colorPattern = /^(#[0-9a-f]{6}([0-9a-f]{2})?|[a-z]+[0-9]{0,3})$/;
const widestPen = 8;

export function authorStyle(attributes: AttributeMap): AuthorStyle {
  const styles = read(attributes, 'style')
    .split(',')
    .map((word) => word.trim().toLowerCase());
  const color = readColor(attributes, 'color');
  // Graphviz fills a filled shape with its border colour if it has no fill colour.
  const fillColor = readColor(attributes, 'fillcolor') ?? (styles.includes('filled') ? color : undefined);
  const fontColor = readColor(attributes, 'fontcolor');
  const penWidth = Number.parseFloat(read(attributes, 'penwidth'));
  const tooltip = read(attributes, 'tooltip');
  return {
    color,
    fillColor,
    fontColor,
    penWidth: penWidth > 0 ? Math.min(penWidth, widestPen) : undefined,
    styles: styleWords.filter((word) => styles.includes(word)),
    tooltip: tooltip || undefined,
  };
}

/** Style words in the form that Graphviz wants; the type of ts-graphviz ends at four words. */
export function styleList(words: readonly StyleWord[]): Style {
  return [...new Set(words)].join(',') as Style;
}

function readColor(attributes: AttributeMap, name: string): Color | undefined {
  const color = read(attributes, name).trim().toLowerCase();
  return colorPattern.test(color) ? (color as Color) : undefined;
}

function read(attributes: AttributeMap, name: string): string {
  const attribute = attributes.get(name);
  return attribute === undefined ? '' : attributeText(attribute.value);
}
