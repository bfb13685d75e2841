import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../../src/run/driver/clock.js';
import { steadyTime } from '../../../../src/run/driver/steady-time.js';
import {
  answer,
  conversation,
  fallsSilent,
  type Reply,
  status,
  type WireFormat,
  wireFormats,
} from '../../../backends/ai/faults.js';
import { play } from '../../../backends/ai/play-replies.js';
import { eventsOf, fileOf } from '../../../run/harness.js';

const day = 86_400_000;
const [anthropic] = wireFormats as readonly [WireFormat];

/** The clock of a machine that somebody sets; short waits take a thousandth of their time. */
function settable(): { readonly clock: Clock; set(by: number): void } {
  let ahead = 0;
  const now = steadyTime(
    () => Date.now() + ahead,
    () => performance.now(),
  );
  return {
    clock: {
      now,
      random: () => 0.5,
      sleep: (milliseconds, signal) =>
        systemClock.sleep(milliseconds > 10_000 ? milliseconds : milliseconds / 1000, signal),
    },
    set(by) {
      ahead += by;
    },
  };
}

/** Silence counts by a clock of its own, which is quick here. */
const quick = { sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 150)) };

const faults: readonly (readonly [what: string, fault: Reply])[] = [
  ['a pause between two requests', status(429)],
  ['silence of the server', fallsSilent()],
];

describe.each([
  ['back', -day],
  ['forward', day],
])('a clock that is set %s by a day', (_way, by) => {
  test.each(faults)(
    'during %s, in a stage with a timeout, changes nothing but the time of day',
    async (what, fault) => {
      const { clock, set } = settable();
      const { result, events, requests, directory } = await play(
        anthropic,
        [fault, ...conversation(anthropic)],
        {
          attributes: 'timeout=1h, ',
          ports: what.startsWith('silence') ? quick : {},
          setup: {
            clock,
            onEvent(event) {
              const isMoment = what.startsWith('silence')
                ? event.type === 'StageStarted'
                : event.type === 'RequestRetrying';
              if (isMoment) set(by);
            },
          },
        },
      );
      expect(result.failure_reason).toBeUndefined();
      expect(result.status).toBe('success');
      expect(fileOf(directory, 'work', 'response.md')).toBe(answer);
      expect(requests).toHaveLength(4);
      expect(eventsOf(events, 'RequestRetrying').map(({ delay }) => delay)).toEqual([2000]);
      const times = events.map(({ timestamp }) => Date.parse(timestamp));
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      const jumped = (times.at(-1) ?? 0) - (times[0] ?? 0);
      if (by < 0) expect(jumped).toBeLessThan(day);
      for (const { duration } of eventsOf(events, 'StageCompleted'))
        expect(duration).toBeGreaterThanOrEqual(0);
    },
  );
});
