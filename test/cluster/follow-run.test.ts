import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { untilAborted } from '../../src/abort/abort.js';
import type { Carrier } from '../../src/cluster/cluster.js';
import { followRun } from '../../src/cluster/follow-run.js';
import { compile } from '../../src/compiler/compile.js';
import { pipeline } from '../run/harness.js';
import { submitted } from './harness.js';
import { MemoryRun, onWorker } from './memory-cluster.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const dot = pipeline('a', 'start -> a -> exit');

/** Follows a run whose carriers come in this order, one a look, and which a worker carries out after the last. */
async function noticesOf(
  carriers: readonly Carrier[],
  stop?: 'pause' | 'cancel',
): Promise<readonly string[]> {
  const cluster = await submitted(dot, { simulate: true });
  const run = new MemoryRun(cluster);
  const [first, ...others] = carriers;
  run.carrier = first ?? onWorker;
  const look = run.refresh.bind(run);
  let working: Promise<unknown> | undefined;
  run.refresh = async () => {
    const next = others.shift();
    if (next === undefined) working ??= cluster.work();
    else run.carrier = next;
    await look();
  };
  const { program } = compile(dot);
  if (program === undefined) throw new Error('the pipeline does not compile');
  const [stopping, notices] = [new AbortController(), [] as string[]];
  const signal = stopping.signal;
  const following = followRun(run, program, {
    onNotice: (notice) => notices.push(notice),
    ...(stop === 'pause' && { pauseSignal: signal }),
    ...(stop === 'cancel' && { signal }),
  });
  if (stop !== undefined) stopping.abort();
  await untilSettled(following);
  if (!run.history.isOver) await run.send({ kind: 'cancel' });
  if (working !== undefined) await untilSettled(working);
  return notices;
}

/** Lets time pass until something has happened. */
async function untilSettled(something: Promise<unknown>): Promise<void> {
  let isSettled = false;
  const settled = something.finally(() => {
    isSettled = true;
  });
  while (!isSettled) await vi.advanceTimersByTimeAsync(100);
  await settled;
}

const other: Carrier = { kind: 'worker', id: 'other-8-def', host: 'other', pid: 8, since: 2000 };
const queued: Carrier = { kind: 'queue', since: 1, awaits: 'a worker' };

test('whoever follows a run learns that another worker has it', async () => {
  expect(await noticesOf([onWorker, queued, other])).toEqual([
    'the run continues on other-8-def; host-7-abc had it before',
  ]);
  expect(await noticesOf([queued, onWorker, queued, onWorker])).toEqual([]);
});

test.each([
  ['pause', 'no worker has the run now; it is paused as soon as one takes it'],
  ['cancel', 'no worker has the run now; it is cancelled as soon as one takes it'],
] as const)('a %s of a run in the queue has an answer at once', async (stop, notice) => {
  expect(await noticesOf([queued, onWorker], stop)).toEqual([notice]);
  expect(await noticesOf([onWorker, onWorker], stop)).toEqual([]);
});

test('126: what an interrupted reply has cost is heard after the end of the run', async () => {
  let hearEnd: () => void = () => undefined;
  const isOver = new Promise<void>((resolve) => {
    hearEnd = resolve;
  });
  const stopping = new AbortController();
  const cluster = await submitted(dot, {
    backend: {
      async run(_node, _prompt, _context, call) {
        setImmediate(() => stopping.abort());
        await untilAborted(new Promise<never>(() => undefined), call.signal);
        await isOver;
        const usage = { requests: 1, input_tokens: 60, output_tokens: 40 };
        call.report({ kind: 'model_used', provider: 'test', model: 'm', usage });
        throw call.signal.reason;
      },
    },
  });
  const run = new MemoryRun(cluster);
  const working = cluster.work().finally(() => {
    run.carrier = { kind: 'over' };
  });
  const { program } = compile(dot);
  if (program === undefined) throw new Error('the pipeline does not compile');
  const heard: string[] = [];
  const following = followRun(run, program, {
    signal: stopping.signal,
    onEvent: ({ type }) => {
      heard.push(type);
      if (type === 'PipelineCancelled') hearEnd();
    },
  });
  await untilSettled(Promise.all([following, working]));
  expect(heard.slice(-2)).toEqual(['PipelineCancelled', 'ModelUsed']);
});
