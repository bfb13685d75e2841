import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { untilAborted } from '../../src/abort/abort.js';
import { stoppable } from '../../src/abort/stoppable.js';

async function* numbers(stopped: AbortSignal): AsyncGenerator<number> {
  for (let number = 1; !stopped.aborted && number < 4; number += 1) yield number;
  if (!stopped.aborted) await untilAborted(new Promise<never>(() => undefined), stopped);
}

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

test('ends what waits when it is left', async () => {
  const items = stoppable(numbers);
  expect(await items.next()).toEqual({ done: false, value: 1 });
  await items.next();
  await items.next();
  const waiting = items.next();
  await items.return?.(undefined);
  expect(await waiting).toEqual({ done: true, value: undefined });
});

test('ends with the signal, and lets go of it', async () => {
  const controller = new AbortController();
  const seen: number[] = [];
  const items = stoppable(numbers, controller.signal);
  for await (const item of items) {
    seen.push(item);
    if (item === 3) controller.abort();
  }
  expect(seen).toEqual([1, 2, 3]);
  expect(listeners(controller.signal)).toBe(0);
});

test('lets go of a signal that continues when it is left', async () => {
  const { signal } = new AbortController();
  for await (const item of stoppable(numbers, signal)) if (item === 2) break;
  expect(listeners(signal)).toBe(0);
});

test('has nothing to give where the signal is aborted already', async () => {
  const controller = new AbortController();
  controller.abort();
  expect(await stoppable(numbers, controller.signal).next()).toEqual({ done: true, value: undefined });
});
