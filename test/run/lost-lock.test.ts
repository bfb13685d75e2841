import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Handler } from '../../src/handlers/handler.js';
import { fileSystemOf, pipeline, resumePipeline, runPipeline } from './harness.js';

const dot = pipeline('a', 'b', 'start -> a -> b -> exit');
const otherLock = JSON.stringify({
  pid: 17,
  process_start: '',
  since: 1,
  place: { host: 'web-2', boot: 'another start', pid_namespace: '' },
});

/** The machine was asleep, and another one that shares the directory has taken the run for dead. */
function sleepThrough(directory: string): () => Readonly<Record<string, string>> {
  const fileSystem = fileSystemOf(directory);
  fileSystem.writeFile(`${directory}/lock`, otherLock);
  vi.setSystemTime(Date.now() + 60_000);
  const files = (): Readonly<Record<string, string>> => {
    const names = fileSystem
      .readdir(directory)
      .filter((name) => fileSystem.stat(`${directory}/${name}`)?.isFile());
    return Object.fromEntries(
      names.map((name) => [name, fileSystem.readFile(`${directory}/${name}`).toString()]),
    );
  };
  const before = files();
  return () => {
    const after = files();
    expect(after).toEqual(before);
    return after;
  };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

const takenOver = {
  code: 'storage',
  message: expect.stringMatching(/^process 17 on web-2 has taken (this run|the run directory) over/),
};

describe('a run that another machine has taken over while this one was suspended stops here, with nothing more written', () => {
  test('when its stage ends', async () => {
    let unchanged: () => unknown = () => undefined;
    const execute: Handler['execute'] = async ({ logsRoot }) => {
      unchanged = sleepThrough(logsRoot);
      return { status: 'success' };
    };
    const running = runPipeline(dot, { handlers: { codergen: execute } });
    await expect(running).rejects.toMatchObject(takenOver);
    expect(unchanged()).toMatchObject({ lock: otherLock });
  });

  test('in the midst of its stage, which is stopped too', async () => {
    let unchanged: () => unknown = () => undefined;
    let stopped = 0;
    const execute: Handler['execute'] = ({ logsRoot, signal }) => {
      unchanged = sleepThrough(logsRoot);
      queueMicrotask(() => vi.advanceTimersByTime(5000));
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped += 1;
          reject(signal.reason);
        });
      });
    };
    const running = runPipeline(dot, { handlers: { codergen: execute } });
    await expect(running).rejects.toMatchObject(takenOver);
    expect(unchanged()).toMatchObject({ lock: otherLock });
    expect(stopped).toBe(1);
  });
});

test('a run can be resumed when the process of another container was not heard of for 30 s', async () => {
  const { directory } = await runPipeline(dot, {
    script: { b: [{ outcome: 'fail' }, { outcome: 'success' }] },
  });
  fileSystemOf(directory).writeFile(`${directory}/lock`, otherLock);
  await expect(resumePipeline(directory)).rejects.toMatchObject({
    code: 'run_locked',
  });
  vi.advanceTimersByTime(31_000);
  await expect(resumePipeline(directory)).resolves.toMatchObject({
    result: { status: 'success' },
  });
});
