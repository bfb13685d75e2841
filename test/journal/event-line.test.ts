import { expect, test } from 'vitest';
import { eventLine } from '../../src/journal/event-line.js';
import { describeEvent } from '../../src/machine/describe-event.js';
import type { RunEvent } from '../../src/machine/event.js';
import { pipeline, runPipeline } from '../run/harness.js';

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

test('what the lines of a stage or an edge have in common is remembered of that one only', async () => {
  const loop = pipeline(
    'max_steps=9',
    'a [shape=diamond]; b [shape=diamond]; start -> a -> b; b -> a [weight=1, label="Again"]; b -> exit [condition="context.x=1"]',
  );
  const { events } = await runPipeline(loop);
  const repeated = events.filter((event) => 'visit' in event && event.visit > 2);
  expect(new Set(repeated.map(({ type }) => type))).toEqual(new Set(['StageStarted', 'StageCompleted']));
  const others = {
    name: 'N',
    run_id: 'r2',
    branch: 'x',
    attempt: 2,
    from: 'z',
    to: 'z',
    reason: 'condition',
    label: 'L',
  };
  const changes = Object.entries({ ...others, condition: 'c', edge: 300, outcome: { status: 'skipped' } });
  const steps = events.filter(({ type }) =>
    ['StageStarted', 'StageCompleted', 'EdgeSelected'].includes(type),
  );
  for (const event of steps) {
    for (const [key, value] of changes) {
      // A field that is not there at all would have another place in the line.
      const changed = key in event ? { ...event, [key]: value } : event;
      for (const one of [event, changed, changed, event]) expect(eventLine(one)).toBe(lineOf(one));
    }
  }
});

/** The sentence is made from the fields; here they are changed after it. */
function lineOf(event: RunEvent): string {
  return `${JSON.stringify({ ...event, description: describeEvent(event) })}\n`;
}
