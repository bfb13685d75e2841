/** A graph with more nodes is laid out on a thread with a large stack: Graphviz recurses along the longest path. */
const mainThreadLimit = 1500;
const workerStackMegabytes = 64;

/**
 * Graphviz's drawing of a DOT text as SVG.
 * @param nodeCount how many nodes it has
 * @throws what Graphviz throws: an `Error`, or a `RangeError` where the stack is too small even on a thread of its own
 */
export async function layout(dot: string, nodeCount: number): Promise<string> {
  const { Graphviz, graphvizModule } = await import('./graphviz.js');
  if (nodeCount <= mainThreadLimit) {
    const graphviz = await Graphviz.load();
    try {
      return graphviz.layout(dot, 'svg', 'dot');
    } catch (error) {
      // An aborted layout leaves the module in an unknown state.
      Graphviz.unload();
      if (!isStackOverflow(error)) throw error;
    }
  }
  return layoutOnThread(dot, graphvizModule);
}

export function isStackOverflow(error: unknown): boolean {
  return error instanceof Error && /call stack|stack overflow|too much recursion/i.test(error.message);
}

/** Evaluated instead of loaded from a file, which bundlers would have to know of. */
const threadScript = `
const { parentPort, workerData } = require('node:worker_threads');
import(workerData.module)
  .then(({ Graphviz }) => Graphviz.load())
  .then((graphviz) => parentPort.postMessage({ svg: graphviz.layout(workerData.dot, 'svg', 'dot') }))
  .catch((error) => parentPort.postMessage({ error: String(error?.message ?? error) }));
`;

type ThreadAnswer = { readonly svg: string } | { readonly error: string };

async function layoutOnThread(dot: string, module: string): Promise<string> {
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(threadScript, {
    eval: true,
    workerData: { dot, module },
    resourceLimits: { stackSizeMb: workerStackMegabytes },
  });
  const answer = await new Promise<ThreadAnswer>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the layout thread ended with code ${code}`)));
  });
  await worker.terminate();
  if ('error' in answer) throw new Error(answer.error);
  return answer.svg;
}
