import type { Worker } from 'node:worker_threads';

const stackMegabytes = 64;
/** Time in milliseconds after which a thread without work ends; it keeps the memory of its largest layout. */
const idleMs = 60_000;

interface LayoutThreadsOptions {
  /** Maximum of threads at the same time; the other layouts wait for their turn. */
  readonly threads?: number;
  /** Time limit of one layout on its thread, in milliseconds; by default there is none. */
  readonly timeoutMs?: number;
  /** Maximum of layouts that may wait; by default there is none. */
  readonly mostWaiting?: number;
}

/** Too many layouts wait already. */
export class LayoutsWaitError extends Error {
  override readonly name = 'LayoutsWaitError';
}

/**
 * Lays out on separate threads, each with a large stack and Graphviz loaded once, so that the process can
 * do other work meanwhile. A layout that takes too long is ended, together with its thread.
 */
export class LayoutThreads {
  readonly #options: LayoutThreadsOptions;
  readonly #idle: LayoutThread[] = [];
  readonly #busy = new Set<LayoutThread>();
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #isClosed = false;

  constructor(options: LayoutThreadsOptions = {}) {
    this.#options = options;
  }

  /**
   * Graphviz's drawing of a DOT text as SVG.
   * @throws LayoutsWaitError if too many others wait
   */
  async layout(dot: string): Promise<string> {
    await this.#turn();
    try {
      return await this.#layoutNow(dot);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#taken -= 1;
      else next();
    }
  }

  /** Ends the threads: a layout under way fails, and none begins any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const threads = [...this.#idle.splice(0), ...this.#busy];
    await Promise.all(threads.map((thread) => thread.end()));
  }

  async #turn(): Promise<void> {
    const { threads = 1, mostWaiting = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#taken < threads) {
      this.#taken += 1;
      return;
    }
    if (this.#waiting.length >= mostWaiting) {
      const found = `${threads} drawings are being laid out and ${mostWaiting} wait`;
      throw new LayoutsWaitError(`${found}, which is the limit; try again later`);
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async #layoutNow(dot: string): Promise<string> {
    const thread = this.#idle.pop() ?? (await startThread());
    this.#busy.add(thread);
    try {
      if (this.#isClosed) throw new Error('the process is about to end');
      const svg = await thread.layout(dot, this.#options.timeoutMs);
      this.#rest(thread);
      return svg;
    } catch (error) {
      // A layout that failed leaves Graphviz in an unknown state.
      await thread.end();
      throw error;
    } finally {
      this.#busy.delete(thread);
    }
  }

  #rest(thread: LayoutThread): void {
    this.#idle.push(thread);
    thread.rest(idleMs, () => {
      const index = this.#idle.indexOf(thread);
      if (index >= 0) this.#idle.splice(index, 1);
      void thread.end();
    });
  }
}

/** Evaluated instead of loaded from a file, so that bundlers need not know it. */
const threadScript = `
const { parentPort, workerData } = require('node:worker_threads');
const loaded = import(workerData.module).then(({ Graphviz }) => Graphviz.load());
// The next drawing reports it.
loaded.catch(() => undefined);
parentPort.on('message', async (dot) => {
  try {
    parentPort.postMessage({ svg: (await loaded).layout(dot, 'svg', 'dot') });
  } catch (error) {
    parentPort.postMessage({ error: String(error?.message ?? error) });
  }
});
`;

async function startThread(): Promise<LayoutThread> {
  const { Worker } = await import('node:worker_threads');
  const { graphvizModule } = await import('./graphviz.js');
  const worker = new Worker(threadScript, {
    eval: true,
    workerData: { module: graphvizModule },
    resourceLimits: { stackSizeMb: stackMegabytes },
  });
  return new LayoutThread(worker);
}

type ThreadAnswer = { readonly svg: string } | { readonly error: string };

class LayoutThread {
  readonly #worker: Worker;
  #idleTimer: NodeJS.Timeout | undefined;
  #onDone: () => void = () => undefined;
  #settle: (answer: ThreadAnswer) => void = () => undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (answer: ThreadAnswer) => this.#settle(answer));
    worker.on('error', ({ message }) => this.#settle({ error: message }));
    worker.on('exit', (code) => {
      this.#settle({ error: `the layout thread ended with code ${code}` });
      this.#onDone();
    });
  }

  async layout(dot: string, timeoutMs: number | undefined): Promise<string> {
    clearTimeout(this.#idleTimer);
    this.#worker.ref();
    let timer: NodeJS.Timeout | undefined;
    const answer = await new Promise<ThreadAnswer>((resolve) => {
      this.#settle = resolve;
      if (timeoutMs !== undefined) {
        const late = { error: `it takes longer than ${timeoutMs / 1000} s` };
        timer = setTimeout(() => resolve(late), timeoutMs);
      }
      this.#worker.postMessage(dot);
    });
    clearTimeout(timer);
    if ('error' in answer) throw new Error(answer.error);
    return answer.svg;
  }

  /**
   * Lets the process end without waiting for the thread.
   * @param onDone called once it has been idle for that long, or has ended
   */
  rest(milliseconds: number, onDone: () => void): void {
    this.#worker.unref();
    this.#onDone = onDone;
    this.#idleTimer = setTimeout(onDone, milliseconds).unref();
  }

  async end(): Promise<void> {
    clearTimeout(this.#idleTimer);
    await this.#worker.terminate();
  }
}
