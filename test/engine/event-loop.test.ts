import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/engine/runtime/clock.js';
import { virtualClock } from '../support/virtual-clock.js';
import { pipeline, runPipeline, type Setup } from './harness.js';

// Promises that are there at once lead from one to the next: without a turn of the event loop in between, nobody could pause
// the run, no timer would fire, and whoever else the process serves would wait for the end.

const steps = 3000;
const custom = (execute: () => unknown): Setup => ({ handlers: { custom: execute as () => never } });

const kinds: readonly (readonly [name: string, setup: Setup, attributes?: string])[] = [
  ['come back at once', custom(() => ({ status: 'success' }))],
  ['come back with a promise', custom(async () => ({ status: 'success' }))],
  ['take a few promises', custom(async () => Promise.all([null, null]).then(() => ({ status: 'success' })))],
  [
    'ask somebody who answers at once',
    {
      autoApprove: true,
      handlers: {
        custom: async ({ ask }) => {
          await ask({ type: 'YES_NO', text: 'Go on?' });
          return { status: 'success' };
        },
      },
    },
  ],
  ['are simulated', { simulate: true }, 'prompt="Do it"'],
  ['have a backend that answers at once', { backend: { run: async () => 'Done.' } }, 'prompt="Do it"'],
];

describe.each([
  ['the time of the system', () => systemClock],
  ['a time of its own', () => virtualClock()],
])('a loop with %s lets others have their turn where its stages', (_clock, clock) => {
  test.each(kinds)('%s', async (_name, setup, attributes = 'type=custom') => {
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
