import type { Worker } from 'node:worker_threads';

/** Work that threads do, one input after the other: a row of a table such as `src/server/thread-tasks.ts`. */
export interface ThreadTask<Input, Output> {
  /** Work in the plural, for the refusal of one too many: `drawings are being laid out`. */
  readonly underWay: string;
  /**
   * Module that the thread imports; or the function itself, to be called on this thread, for a module of the sources, which Node
   * cannot load.
   */
  load(): Promise<
    { readonly module: string } | { readonly here: (input: Input) => Output | Promise<Output> }
  >;
  /** JavaScript expression for the function, or a promise of it, from the imported `module`. */
  readonly perform: string;
  /** Maximum of threads at the same time; the other inputs wait for their turn. */
  readonly threads: number;
  /** Time limit of one input on its thread, in milliseconds; none if undefined. */
  readonly timeoutMs: number | undefined;
  /** Maximum of inputs that may wait; none if undefined. */
  readonly mostWaiting: number | undefined;
  /** Memory of a thread, which V8 ends when it needs more: the stack, and the heap if there is a limit. */
  readonly memory: { readonly stackSizeMb: number; readonly maxOldGenerationSizeMb?: number };
}

/** Too many inputs wait already. */
export class ThreadsBusyError extends Error {
  override readonly name = 'ThreadsBusyError';
}

/** A thread gave an input up: it took too long, needed too much memory, or crashed. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError';
}

/** Time in milliseconds after which a thread without work ends; it keeps the memory of its largest input. */
const idleMs = 60_000;

/**
 * Performs a task on separate threads, which load its module once, so that the process can do other work meanwhile. Work that
 * takes too long is ended, together with its thread.
 */
export class ThreadPool<Input, Output> {
  readonly #task: ThreadTask<Input, Output>;
  readonly #idle: TaskThread<Input, Output>[] = [];
  readonly #busy = new Set<TaskThread<Input, Output>>();
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #isClosed = false;

  constructor(task: ThreadTask<Input, Output>) {
    this.#task = task;
  }

  /**
   * Performs the task.
   * @param input data that can be cloned, as the result must be
   * @throws ThreadsBusyError if too many others wait
   * @throws ThreadEndedError if the thread gave it up
   * @throws an `Error` with the message of any other that the task has thrown
   */
  async run(input: Input): Promise<Output> {
    await this.#turn();
    try {
      return await this.#runNow(input);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#taken -= 1;
      else next();
    }
  }

  /** Ends the threads: work under way fails, and none begins any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const threads = [...this.#idle.splice(0), ...this.#busy];
    await Promise.all(threads.map((thread) => thread.end()));
  }

  async #turn(): Promise<void> {
    const { threads, mostWaiting = Number.POSITIVE_INFINITY, underWay } = this.#task;
    if (this.#taken < threads) {
      this.#taken += 1;
      return;
    }
    if (this.#waiting.length >= mostWaiting) {
      const found = `${threads} ${underWay} and ${mostWaiting} wait`;
      throw new ThreadsBusyError(`${found}, which is the limit; try again later`);
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async #runNow(input: Input): Promise<Output> {
    const idle = this.#idle.pop();
    const loaded = idle === undefined ? await this.#task.load() : undefined;
    if (loaded !== undefined && 'here' in loaded) return loaded.here(input);
    const thread = idle ?? (await startThread<Input, Output>(loaded?.module ?? '', this.#task));
    this.#busy.add(thread);
    try {
      if (this.#isClosed) throw new Error('the process is about to end');
      const output = await thread.perform(input, this.#task.timeoutMs);
      this.#rest(thread);
      return output;
    } catch (error) {
      // Work that failed leaves the modules of the thread in an unknown state.
      await thread.end();
      throw error;
    } finally {
      this.#busy.delete(thread);
    }
  }

  #rest(thread: TaskThread<Input, Output>): void {
    this.#idle.push(thread);
    thread.rest(idleMs, () => {
      const index = this.#idle.indexOf(thread);
      if (index >= 0) this.#idle.splice(index, 1);
      void thread.end();
    });
  }
}

/** Evaluated instead of loaded from a file, so that bundlers need not know it. */
function threadScript(perform: string): string {
  return `
const { parentPort, workerData } = require('node:worker_threads');
const loaded = import(workerData.module).then((module) => ${perform});
// The next input reports it.
loaded.catch(() => undefined);
parentPort.on('message', async (input) => {
  try {
    parentPort.postMessage({ output: await (await loaded)(input) });
  } catch (error) {
    parentPort.postMessage({ error: String(error?.message ?? error) });
  }
});
`;
}

async function startThread<Input, Output>(
  module: string,
  { perform, memory }: ThreadTask<Input, Output>,
): Promise<TaskThread<Input, Output>> {
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(threadScript(perform), {
    eval: true,
    workerData: { module },
    resourceLimits: memory,
  });
  return new TaskThread(worker);
}

type ThreadAnswer<Output> =
  | { readonly output: Output }
  | { readonly error: string; readonly hasEnded?: boolean };

class TaskThread<Input, Output> {
  readonly #worker: Worker;
  #idleTimer: NodeJS.Timeout | undefined;
  #onDone: () => void = () => undefined;
  #settle: (answer: ThreadAnswer<Output>) => void = () => undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (answer: ThreadAnswer<Output>) => this.#settle(answer));
    worker.on('error', ({ message }) => this.#settle({ error: message, hasEnded: true }));
    worker.on('exit', (code) => {
      this.#settle({ error: `its thread ended with code ${code}`, hasEnded: true });
      this.#onDone();
    });
  }

  async perform(input: Input, timeoutMs: number | undefined): Promise<Output> {
    clearTimeout(this.#idleTimer);
    this.#worker.ref();
    let timer: NodeJS.Timeout | undefined;
    const answer = await new Promise<ThreadAnswer<Output>>((resolve) => {
      this.#settle = resolve;
      if (timeoutMs !== undefined) {
        const late = { error: `it takes longer than ${timeoutMs / 1000} s`, hasEnded: true };
        timer = setTimeout(() => resolve(late), timeoutMs);
      }
      this.#worker.postMessage(input);
    });
    clearTimeout(timer);
    if ('output' in answer) return answer.output;
    throw answer.hasEnded ? new ThreadEndedError(answer.error) : new Error(answer.error);
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
