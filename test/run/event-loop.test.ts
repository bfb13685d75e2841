import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Handler } from '../../src/handlers/handler.js';
import { systemClock } from '../../src/run/driver/clock.js';
import { virtualClock } from '../support/virtual-clock.js';
import { pipeline, runPipeline, type Setup } from './harness.js';

// Promises that are there at once lead from one to the next: without a turn of the event loop in between, nobody could pause
// the run, no timer would fire, and whoever else the process serves would wait for the end.

const steps = 3000;
const custom = (execute: Handler['execute']): Setup => ({ handlers: { custom: execute } });

const prompted = 'prompt="Do it"';

interface Kind {
  readonly name: string;
  readonly setup: Setup;
  readonly attributes?: string;
}

const kinds: readonly Kind[] = [
  { name: 'come back at once', setup: custom(() => ({ status: 'success' })) },
  { name: 'come back with a promise', setup: custom(async () => ({ status: 'success' })) },
  {
    name: 'take a few promises',
    setup: custom(async () => Promise.all([null, null]).then(() => ({ status: 'success' }))),
  },
  {
    name: 'ask somebody who answers at once',
    setup: {
      ...custom(async ({ ask }) => {
        await ask({ type: 'YES_NO', text: 'Go on?' });
        return { status: 'success' };
      }),
      autoApprove: true,
    },
  },
  { name: 'are simulated', setup: { simulate: true }, attributes: prompted },
  {
    name: 'have a backend that answers at once',
    setup: { backend: { run: async () => 'Done.' } },
    attributes: prompted,
  },
];

describe.each([
  ['the time of the system', () => systemClock],
  ['a time of its own', () => virtualClock()],
])('a loop with %s lets others have their turn where its stages', (_clock, clock) => {
  test.each(kinds)('$name', async ({ setup, attributes = 'type=custom' }) => {
    const dot = pipeline(
      `graph [max_steps=${steps}]`,
      `a [${attributes}]`,
      `b [${attributes}]`,
      'start -> a -> b',
      'b -> a [weight=1]',
      'b -> exit [condition="context.never=1"]',
    );
    const pause = new AbortController();
    setTimeout(() => pause.abort(), 20);
    const { result } = await runPipeline(dot, { ...setup, clock: clock(), pauseSignal: pause.signal });
    expect(result.status).toBe('paused');
    expect(result.steps).toBeLessThan(steps);
  });
});

describe('a loop continues where its process has', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('timers that stand still', async () => {
    vi.useFakeTimers();
    const dot = pipeline(
      `graph [max_steps=${steps}]`,
      'a [type=custom]',
      'start -> a -> a',
      'a -> exit [condition="context.never=1"]',
    );
    const { result } = await runPipeline(
      dot,
      custom(async () => ({ status: 'success' })),
    );
    expect(result.steps).toBe(steps);
  });
});
