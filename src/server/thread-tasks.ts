import type { VerdictJson } from '../check/verdict-json.js';
import { layoutTask } from '../render/layout-task.js';
import { ThreadPool, type ThreadTask } from '../threads/thread-pool.js';
import type { TextToCheck } from './judging/check-text.js';
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
  check: {
    underWay: 'pipelines have their properties decided',
    async load() {
      const { checkModule: module, checkText } = await import('./judging/check-text.js');
      return module === undefined ? { here: checkText } : { module };
    },
    perform: 'module.checkText ?? module.default.checkText',
    threads: 1,
    timeoutMs: longestMs,
    mostWaiting: 20,
    memory: { stackSizeMb: 4, maxOldGenerationSizeMb: 1024 },
  } satisfies ThreadTask<TextToCheck, readonly VerdictJson[]>,
} as const;

/** Threads of a server, by their task. */
export interface ServerThreads {
  readonly layout: ThreadPool<string, string>;
  readonly judge: ThreadPool<TextToJudge, JudgedText>;
  readonly check: ThreadPool<TextToCheck, readonly VerdictJson[]>;
  close(): Promise<void>;
}

export function serverThreads(): ServerThreads {
  const layout = new ThreadPool<string, string>(tasks.layout);
  const judge = new ThreadPool<TextToJudge, JudgedText>(tasks.judge);
  const check = new ThreadPool<TextToCheck, readonly VerdictJson[]>(tasks.check);
  return {
    layout,
    judge,
    check,
    close: async () => {
      await Promise.all([layout.close(), judge.close(), check.close()]);
    },
  };
}
