import type { ThreadTask } from '../threads/thread-pool.js';

/** Lays a DOT text out as SVG, each thread with a large stack and Graphviz loaded once. */
export const layoutTask: ThreadTask<string, string> = {
  underWay: 'drawings are being laid out',
  async load() {
    const { graphvizModule } = await import('./graphviz.js');
    return { module: graphvizModule };
  },
  perform: `module.Graphviz.load().then((graphviz) => (dot) => graphviz.layout(dot, 'svg', 'dot'))`,
  threads: 1,
  timeoutMs: undefined,
  mostWaiting: undefined,
  memory: { stackSizeMb: 64 },
};
