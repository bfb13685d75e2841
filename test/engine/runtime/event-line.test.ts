import { expect, test } from 'vitest';
import { eventLine } from '../../../src/engine/runtime/event-line.js';
import { pipeline, runPipeline } from '../harness.js';

test('an event is written as JSON.stringify writes it, whatever it holds', async () => {
  const odd = 'quote " backslash \\ line\\nbreak é 😀';
  const dot = pipeline(
    'default_fidelity=full',
    `a [label="${odd.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}", max_retries=1]`,
    'b [prompt="x"]; d [shape=diamond]; fan [shape=component]; x [type=custom]; y [type=custom]; j [shape=tripleoctagon]',
    'start -> a -> b -> d; d -> fan [condition="outcome=success", label="On"]; d -> exit; fan -> x -> j; fan -> y -> j; j -> exit',
  );
  const { events } = await runPipeline(dot, {
    script: {
      a: [
        { outcome: 'retry', failure_reason: odd },
        { outcome: 'success', notes: odd, context_updates: { [odd]: [1, null, odd] } },
      ],
    },
    handlers: {
      custom: ({ node }) => ({ status: node.id === 'x' ? 'fail' : 'success', failure_reason: odd }),
    },
  });
  expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(10);
  // The second time texts come from memory.
  for (const event of [...events, ...events]) {
    expect(eventLine(event)).toBe(`${JSON.stringify(event)}\n`);
  }
});
