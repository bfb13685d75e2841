import { describe, expect, test } from 'vitest';
import { SessionBegins } from '../../../src/backends/acp/session-begins.js';
import { testEach } from '../../run/harness.js';

const at = (time: string): number => Date.parse(`2026-01-01T${time}Z`);

describe('the minute in which a session began', () => {
  const rows = [
    { name: 'is not over', begun: '10:00:05', now: '10:00:20', rest: 40 },
    { name: 'is over', begun: '10:00:05', now: '10:01:05', rest: 0 },
    { name: 'is over, though no minute has passed', begun: '10:00:50', now: '10:01:10', rest: 0 },
    { name: 'is over long since', begun: '10:00:05', now: '11:00:05', rest: 0 },
  ];
  testEach(rows, ({ begun, now, rest }) => {
    const begins = new SessionBegins(at('09:00:00'));
    begins.note('one', at(begun));
    expect(Math.round(begins.rest('one', at(now)) / 1000)).toBe(rest);
  });

  test('is, for a session of another process, at most that in which this one began', () => {
    const begins = new SessionBegins(at('10:00:30'));
    expect(begins.rest('one', at('10:00:40'))).toBeGreaterThan(20_000);
    expect(begins.rest('one', at('10:01:01'))).toBe(0);
  });
});
