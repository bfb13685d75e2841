import { layoutTask } from '../render/layout-task.js';
import { ThreadPool, type ThreadTask } from '../threads/thread-pool.js';
import type { JudgedText, TextToJudge } from './judging/judge-text.js';

const longestMs = 30_000;

/**
 * Work of a server for texts of strangers, which its own thread must not wait for. A machine has other things to do, too, so
 * that each task has two threads at most.
 */
const tasks = {
  layout: { ...layoutTask, threads: 2, timeoutMs: longestMs, mostWaiting: 200 },
  judge: {
    underWay: 'pipelines are being checked',
    async load() {
      const { judgeModule: module, judgeText } = await import('./judging/judge-text.js');
      return module === undefined ? { here: judgeText } : { module };
    },
    perform: 'module.judgeText ?? module.default.judgeText',
    threads: 2,
    timeoutMs: longestMs,
    mostWaiting: 200,
    memory: { stackSizeMb: 4, maxOldGenerationSizeMb: 1024 },
  } satisfies ThreadTask<TextToJudge, JudgedText>,
} as const;

/** Threads of a server, by their task. */
export interface ServerThreads {
  readonly layout: ThreadPool<string, string>;
  readonly judge: ThreadPool<TextToJudge, JudgedText>;
  close(): Promise<void>;
}

export function serverThreads(): ServerThreads {
  const layout = new ThreadPool<string, string>(tasks.layout);
  const judge = new ThreadPool<TextToJudge, JudgedText>(tasks.judge);
  return {
    layout,
    judge,
    close: async () => {
      await Promise.all([layout.close(), judge.close()]);
    },
  };
}
