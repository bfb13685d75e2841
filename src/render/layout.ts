import { ThreadPool } from '../threads/thread-pool.js';
import { layoutTask } from './layout-task.js';

/**
 * Graphviz's drawing of a DOT text as SVG.
 * @param nodeCount number of its nodes
 * @throws an `Error` of Graphviz, or a `RangeError` if the stack is too small even on a separate thread
 */
export type Layout = (dot: string, nodeCount: number) => Promise<string>;

/** A graph with more nodes is laid out on a thread with a large stack: Graphviz recurses along the longest path. */
const mainThreadLimit = 1500;

/** Layout for a process that has nothing else to do. */
export const layoutHere: Layout = async (dot, nodeCount) => {
  if (nodeCount <= mainThreadLimit) {
    const { Graphviz } = await import('./graphviz.js');
    const graphviz = await Graphviz.load();
    try {
      return graphviz.layout(dot, 'svg', 'dot');
    } catch (error) {
      // An aborted layout leaves the module in an unknown state.
      Graphviz.unload();
      if (!isStackOverflow(error)) throw error;
    }
  }
  const threads = new ThreadPool(layoutTask);
  try {
    return await threads.run(dot);
  } finally {
    await threads.close();
  }
};

export function isStackOverflow(error: unknown): boolean {
  return error instanceof Error && /call stack|stack overflow|too much recursion/i.test(error.message);
}
