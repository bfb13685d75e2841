/** A graph with more nodes is laid out on a thread with a large stack: Graphviz recurses along the longest path. */
const mainThreadLimit = 1500;
const workerStackMegabytes = 64;

/** Where and how long a graph may be laid out, for a process that has other things to do. */
export interface LayoutLimits {
  /** A graph with more nodes than this is laid out on a thread of its own. */
  readonly mainThreadNodes?: number;
  /** How long such a thread may take, in milliseconds. */
  readonly threadTimeoutMs?: number;
}

/**
 * Graphviz's drawing of a DOT text as SVG.
 * @param nodeCount how many nodes it has
 * @throws what Graphviz throws: an `Error`, or a `RangeError` where the stack is too small even on a thread of its own
 */
export async function layout(
  dot: string,
  nodeCount: number,
  { mainThreadNodes = mainThreadLimit, threadTimeoutMs }: LayoutLimits = {},
): Promise<string> {
  const { Graphviz, graphvizModule } = await import('./graphviz.js');
  if (nodeCount <= Math.min(mainThreadNodes, mainThreadLimit)) {
    const graphviz = await Graphviz.load();
    try {
      return graphviz.layout(dot, 'svg', 'dot');
    } catch (error) {
      // An aborted layout leaves the module in an unknown state.
      Graphviz.unload();
      if (!isStackOverflow(error)) throw error;
    }
  }
  return layoutOnThread(dot, graphvizModule, threadTimeoutMs);
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

async function layoutOnThread(dot: string, module: string, timeoutMs?: number): Promise<string> {
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(threadScript, {
    eval: true,
    workerData: { dot, module },
    resourceLimits: { stackSizeMb: workerStackMegabytes },
  });
  let timer: NodeJS.Timeout | undefined;
  const answer = new Promise<ThreadAnswer>((resolve, reject) => {
    if (timeoutMs !== undefined) {
      const late = `it takes longer than ${timeoutMs / 1000} s`;
      timer = setTimeout(() => reject(new Error(late)), timeoutMs);
    }
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the layout thread ended with code ${code}`)));
  });
  try {
    const drawn = await answer;
    if ('error' in drawn) throw new Error(drawn.error);
    return drawn.svg;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
