import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { apply } from '../../../src/view/fold/apply.js';
import { workedUntil } from '../../../src/view/fold/count-work.js';
import { emptyView } from '../../../src/view/fold/run-view.js';
import { pipeline, resumePipeline, runPipeline } from '../../run/harness.js';
import { virtualClock, virtualStart } from '../../support/virtual-clock.js';

const hour = 3_600_000;

/** Hours for which the events say that a run was worked on, until the last of them. */
function hoursOf(...parts: readonly (readonly RunEvent[])[]): number {
  const view = emptyView();
  for (const event of parts.flat()) apply(view, event);
  return workedUntil(view.worked, view.lastEventTime ?? '') / hour;
}

/** Takes three hours, then asks for as long, then takes an hour. */
const asking = pipeline(
  'long',
  'gate [shape=hexagon, label="Ship?", timeout="3h", "human.default_choice"="Yes"]',
  'short',
  'start -> long -> gate',
  'gate -> short [label="Yes"]',
  'gate -> long [label="No"]',
  'short -> exit',
);
const script = { long: [{ delay: '3h' }], short: [{ delay: '1h' }] };
const interviewer = { ask: () => new Promise<never>(() => undefined) };

test('the time of a run does not count while it waits for people only', async () => {
  const { events, result } = await runPipeline(asking, { script, interviewer, clock: virtualClock() });
  expect([result.status, result.duration_ms / hour, hoursOf(events)]).toEqual(['success', 7, 4]);
});

test('nor while it is paused, and after it was cut off only until its last event', async () => {
  const dot = pipeline('long', 'short', 'start -> long -> short -> exit', 'max_steps=1');
  const first = await runPipeline(dot, { script, clock: virtualClock() });
  const later = { ...virtualClock(), now: () => virtualStart + 100 * hour };
  const second = await resumePipeline(first.directory, { clock: later, maxSteps: 5 });
  expect([hoursOf(first.events), hoursOf(first.events, second.events)]).toEqual([3, 3]);
  const cutOff = first.events.slice(0, -1);
  expect(hoursOf(cutOff, second.events)).toBe(3);
});
