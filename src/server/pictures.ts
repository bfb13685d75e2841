import type { z } from 'zod';
import type { Graph } from '../graph/graph.js';
import { type DrawingOptions, toGraphvizDot } from '../render/dot.js';
import { toMermaid } from '../render/mermaid.js';
import { renderSvg } from '../render/svg.js';
import type { pictureQuerySchema } from './api/language.js';

export type PictureFormat = Exclude<z.infer<typeof pictureQuerySchema>['format'], undefined | 'json'>;

/** A picture as an answer has it. */
export interface Picture {
  readonly text: string;
  readonly type: string;
}

/** Nodes and edges of a graph that is so small that laying it out holds nobody up. */
const smallSize = 300;
const threadTimeoutMs = 30_000;
/** Threads that lay out at the same time; a machine has other things to do. */
const atOnce = 2;

/**
 * Draws for a server, which must not stand still meanwhile.
 * @throws RenderError where Graphviz cannot lay it out, or not in time
 */
export async function draw(graph: Graph, format: PictureFormat, options: DrawingOptions): Promise<Picture> {
  switch (format) {
    case 'svg': {
      const isSmall = graph.nodes.size + graph.edges.length <= smallSize;
      const limits = isSmall ? {} : { mainThreadNodes: -1, threadTimeoutMs };
      const svg = (): Promise<string> => renderSvg(graph, { ...options, ...limits });
      const text = await (isSmall ? svg() : inTurn(svg));
      return { text, type: 'image/svg+xml; charset=utf-8' };
    }
    case 'mermaid':
      return { text: toMermaid(graph, options), type: 'text/plain; charset=utf-8' };
    case 'dot':
      return { text: toGraphvizDot(graph, options), type: 'text/vnd.graphviz; charset=utf-8' };
  }
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<Result>(action: () => Promise<Result>): Promise<Result> {
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await action();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
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
