import { Graphviz } from '@hpcc-js/wasm-graphviz';
import type { drawingOf } from './meaning.js';

const graphviz = await Graphviz.load();

/** The nodes and edges that Graphviz itself reads in a text; throws where it does not accept it. */
export function readByGraphviz(text: string): ReturnType<typeof drawingOf> {
  const graph = graphviz.read(text);
  try {
    return {
      nodes: graph.nodeNames().sort(),
      edges: graph
        .edges()
        .map(({ tail, head }) => `${tail} -> ${head}`)
        .sort(),
    };
  } finally {
    graph.delete();
  }
}
