import type { Layout } from '../render/layout.js';
import { RenderError } from '../render/render-error.js';
import type { RunOverlay } from '../render/run-overlay.js';
import type { RunPipeline } from '../view/run-pipeline.js';
import type { Allowance } from './allowance.js';
import { Html, html } from './html.js';
import { inlineSvg } from './inline-svg.js';

/** Node count above which nothing is drawn: the layout takes minutes, and the result is unreadable. */
const nodesDrawn = 600;

/**
 * Drawing of the pipeline with the path of a run, to stand in a page; a sentence if it cannot be drawn.
 * @param allowance reduced by the size of the drawing
 */
export async function drawRun(
  { graph, handlerTypes }: RunPipeline,
  overlay: RunOverlay,
  allowance: Allowance,
  prefix: string,
  layout: Layout,
): Promise<Html> {
  if (graph.nodes.size > nodesDrawn) {
    return html`<p class="note">The pipeline has ${graph.nodes.size} stages, too many to be drawn here.</p>`;
  }
  try {
    const { renderSvg } = await import('../render/svg.js');
    const types = handlerTypes.described?.values() ?? [];
    const svg = inlineSvg(
      await renderSvg(graph, { overlay, handlerTypes: types }, layout),
      `${prefix}graph-`,
    );
    if (svg.length > allowance.drawings) {
      return html`<p class="note">The drawing is left out, because the report is long enough without it. Draw it with <code>attractor render --run</code>.</p>`;
    }
    allowance.drawings -= svg.length;
    return html`<div class="${shapeOf(svg)}" tabindex="0" role="region" aria-label="${overlay.caption}">${new Html(svg)}</div>`;
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return html`<p class="note">${error.message}</p>`;
  }
}

/** Points above which a drawing that is made to fit a page can no longer be read. */
const widest = 2000;

function shapeOf(svg: string): string {
  const [, width, height] = /^<svg[^>]* width="([0-9]+)pt" height="([0-9]+)pt"/.exec(svg) ?? [];
  if (Number(width) > widest) return 'picture wide';
  return Number(height) > Number(width) ? 'picture tall' : 'picture';
}
