import type { Graph } from '../graph/graph.js';
import type { DrawingOptions } from './dot.js';
import { fontFamilies, fontsFor } from './fonts.js';
import { RenderError } from './render-error.js';
import { renderSvg } from './svg.js';

/** Pixels for each point of the layout, so that the picture is sharp on fine screens too. */
const zoom = 2;
/** Maximum side that viewers open; a larger drawing is scaled down as a whole. */
const largestSide = 16_384;
const mostPixels = 120_000_000;

/**
 * Pipeline as a PNG picture. A picture cannot follow the colour scheme of its reader: `auto` is drawn
 * light.
 * @throws RenderError if it cannot be laid out, or the drawing library is not installed
 */
export async function renderPng(graph: Graph, options: DrawingOptions = {}): Promise<Uint8Array> {
  const { Resvg } = await loadResvg();
  const theme = options.theme === 'dark' ? 'dark' : 'light';
  const svg = withoutStyleSheet(await renderSvg(graph, { ...options, theme }));
  const drawing = new Resvg(svg, { fitTo: { mode: 'zoom', value: zoomFor(svg) }, font: fontsFor(svg) });
  return drawing.render().asPng();
}

/**
 * Removes the style sheet, which the library supports less than browsers do; the attributes contain the
 * same, except for the fonts.
 */
function withoutStyleSheet(svg: string): string {
  return svg
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replaceAll(/ font-family="Courier[^"]*"/g, ` font-family="${fontFamilies.monospace}"`)
    .replaceAll(/ font-family="Helvetica[^"]*"/g, ` font-family="${fontFamilies.sansSerif}"`);
}

function zoomFor(svg: string): number {
  const size = (name: string) =>
    Number(new RegExp(`^<svg[^>]* ${name}="([\\d.]+)`).exec(svg)?.[1] ?? 1) * (4 / 3);
  const [width, height] = [size('width'), size('height')];
  return Math.min(zoom, largestSide / width, largestSide / height, Math.sqrt(mostPixels / (width * height)));
}

/**
 * Loads the only part of the package that cannot be bundled, because it is native code for one kind of
 * machine.
 */
async function loadResvg(): Promise<typeof import('@resvg/resvg-js')> {
  try {
    return await import('@resvg/resvg-js');
  } catch (cause) {
    const machine = `${process.platform}-${process.arch}`;
    throw new RenderError(
      `PNG needs the package @resvg/resvg-js, which is not installed here or not made for this machine (${machine}): install it with \`npm install @resvg/resvg-js\`, or draw SVG`,
      { cause },
    );
  }
}
