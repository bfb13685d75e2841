import type { Viewport } from './viewport.js';

const bulge = 34;
const arrowLength = 7;
const arrowHalf = 3;

/**
 * Curve for a jump that no edge describes, around the right sides of two boxes, with its arrowhead and a
 * position for its name.
 */
export function jumpPath(
  from: Viewport,
  to: Viewport,
): {
  readonly line: string;
  readonly arrow: string;
  readonly label: { readonly x: number; readonly y: number };
} {
  const isSame = from.x === to.x && from.y === to.y;
  const start = { x: from.x + from.width, y: from.y + from.height * (isSame ? 0.75 : 0.5) };
  const end = { x: to.x + to.width, y: to.y + to.height * (isSame ? 0.25 : 0.5) };
  const far = Math.max(start.x, end.x) + bulge;
  const tip = end.x + arrowLength;
  return {
    line: `M${start.x},${start.y}C${far},${start.y} ${far},${end.y} ${tip},${end.y}`,
    arrow: `M${end.x},${end.y}L${tip},${end.y - arrowHalf}L${tip},${end.y + arrowHalf}Z`,
    // Where a curve with these handles is in its middle.
    label: { x: (start.x + tip) / 8 + (far * 6) / 8, y: (start.y + end.y) / 2 },
  };
}
