import type { Graph } from '../graph/graph.js';
import { ThreadsBusyError } from '../threads/thread-pool.js';
import { darkAuthorRules, darkRules } from './dark-rules.js';
import { type DrawingOptions, toGraphvizDot } from './dot.js';
import { isStackOverflow, type Layout, layoutHere } from './layout.js';
import { raiseLabels } from './raise-labels.js';
import { RenderError } from './render-error.js';
import { drawableText, escapeXml } from './text.js';
import { paletteOf, type Theme } from './theme.js';

/**
 * Pipeline as an SVG document (§1.2), laid out by Graphviz in this process. It needs no font, script or
 * network, and with the theme `auto` it follows the light or dark scheme of its reader.
 * @throws RenderError if Graphviz cannot lay the graph out
 */
export async function renderSvg(
  graph: Graph,
  options: DrawingOptions = {},
  layout: Layout = layoutHere,
): Promise<string> {
  const dot = toGraphvizDot(graph, options);
  const drawing = await layoutOrExplain(dot, graph, layout);
  return finish(drawing, graph, options.theme ?? 'auto');
}

async function layoutOrExplain(dot: string, graph: Graph, layout: Layout): Promise<string> {
  try {
    return await layout(dot, graph.nodes.size);
  } catch (error) {
    if (error instanceof ThreadsBusyError) throw error;
    const size = `${graph.nodes.size} nodes and ${graph.edges.length} edges`;
    const reason = error instanceof Error ? error.message : String(error);
    const message = isStackOverflow(error)
      ? `the pipeline "${graph.name}" (${size}) is too long for the layout: Graphviz ran out of stack; draw a part of it, or write DOT and lay that out with a Graphviz program`
      : `Graphviz could not lay out the pipeline "${graph.name}" (${size}): ${reason.trim()}`;
    throw new RenderError(message, { cause: error });
  }
}

/**
 * Matches the link to nowhere that Graphviz makes of a tooltip; a title has the same effect, also for
 * people who can't see it.
 */
const linkForTooltip =
  /<title>[^<]*<\/title>\n<g id="a_[^"]*"><a xlink:title="([^"]*)">\n([\s\S]*?)<\/a>\n<\/g>\n/g;

/**
 * Graphviz's output without its prologue and comments, so that it can be part of a page, with labels in
 * front of lines, and with our style sheet.
 */
function finish(drawing: string, graph: Graph, theme: Theme): string {
  const trimmed = drawing
    .slice(drawing.indexOf('<svg'))
    .replaceAll(/<!--[\s\S]*?-->\n?/g, '')
    // Graphviz escapes `-` because of its comments; unescaped, element ids can be searched for.
    .replaceAll('&#45;', '-')
    .replaceAll(linkForTooltip, '<title>$1</title>\n$2');
  const svg = raiseLabels(trimmed, paletteOf(theme).page);
  const name = escapeXml(drawableText(graph.name));
  const opening = `<svg class="attractor" role="img" aria-label="${name}" `;
  const head = svg.indexOf('>') + 1;
  return `${opening}${svg.slice('<svg '.length, head)}\n${styleSheet(svg, theme)}${svg.slice(head)}`;
}

/** Style sheet: families as wide as those that Graphviz measured, Helvetica and Courier; then the colours. */
function styleSheet(svg: string, theme: Theme): string {
  const lines = [
    `.attractor{background:${paletteOf(theme).page}}`,
    '.attractor text{font-family:Helvetica,Arial,"Liberation Sans",sans-serif}',
    '.attractor text[font-family^="Courier"]{font-family:ui-monospace,SFMono-Regular,Menlo,"Liberation Mono",monospace}',
  ];
  switch (theme) {
    case 'light':
      break;
    case 'dark':
      lines.push(...darkAuthorRules(svg));
      break;
    case 'auto':
      lines.push('@media (prefers-color-scheme:dark){', ...darkRules(svg), ...darkAuthorRules(svg), '}');
      break;
  }
  return `<style>\n${lines.join('\n')}\n</style>`;
}
