import type { z } from 'zod';
import type { Graph } from '../graph/graph.js';
import { type DrawingOptions, toGraphvizDot } from '../render/dot.js';
import type { Layout } from '../render/layout.js';
import { toMermaid } from '../render/mermaid.js';
import { RenderError } from '../render/render-error.js';
import { renderSvg } from '../render/svg.js';
import type { pictureQuerySchema } from './api/language.js';

export type PictureFormat = Exclude<z.infer<typeof pictureQuerySchema>['format'], undefined | 'json'>;

/** A picture as an answer has it. */
export interface Picture {
  readonly text: string;
  readonly type: string;
}

/** Nodes, edges and boxes of a drawing: writing more down for Graphviz holds the other requests up for more than a second. */
const mostDrawn = 5000;

/**
 * Draws a graph.
 * @throws RenderError where it is too large, or Graphviz cannot lay it out, or not in time
 */
export async function draw(
  graph: Graph,
  format: PictureFormat,
  options: DrawingOptions,
  layout: Layout,
): Promise<Picture> {
  const size = graph.nodes.size + graph.edges.length + graph.subgraphs.length;
  if (size > mostDrawn) {
    const found = `the pipeline has ${size} nodes, edges and subgraphs`;
    throw new RenderError(`${found}; a server draws at most ${mostDrawn}. Draw it with \`attractor render\``);
  }
  switch (format) {
    case 'svg':
      return {
        text: await renderSvg(graph, options, layout),
        type: 'image/svg+xml; charset=utf-8',
      };
    case 'mermaid':
      return { text: toMermaid(graph, options), type: 'text/plain; charset=utf-8' };
    case 'dot':
      return { text: toGraphvizDot(graph, options), type: 'text/vnd.graphviz; charset=utf-8' };
  }
}

/** Pictures that were drawn last: several people look at the same run, and ask again and again. */
export class PictureCache {
  readonly #pictures = new Map<string, Promise<Picture>>();
  readonly #size: number;

  constructor(size = 32) {
    this.#size = size;
  }

  get(key: string, make: () => Promise<Picture>): Promise<Picture> {
    const known = this.#pictures.get(key);
    this.#pictures.delete(key);
    const picture = known ?? make();
    this.#pictures.set(key, picture);
    // A picture that could not be drawn is tried again.
    picture.catch(() => {
      if (this.#pictures.get(key) === picture) this.#pictures.delete(key);
    });
    for (const oldest of this.#pictures.keys()) {
      if (this.#pictures.size <= this.#size) break;
      this.#pictures.delete(oldest);
    }
    return picture;
  }
}
