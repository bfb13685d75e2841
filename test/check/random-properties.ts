import { fc } from '../support/fast-check.js';

/** Sentences about some stages. */
export function sentencesAbout(ids: readonly string[]): fc.Arbitrary<string> {
  const stage = fc.constantFrom(...ids, ...ids, 'any stage');
  const result = fc.constantFrom('', '', '', ' passed', ' failed', ' = skipped', ' = partial_success');
  const event = fc.tuple(stage, result).map((parts) => parts.join(''));
  const events = fc.oneof(
    { arbitrary: event, weight: 4 },
    { arbitrary: fc.tuple(event, event).map((both) => both.join(' or ')), weight: 1 },
  );
  const most = fc.integer({ min: 0, max: 2 });
  const since = fc
    .option(events, { nil: undefined })
    .map((one) => (one === undefined ? '' : ` since the last ${one}`));
  const before = fc
    .option(events, { nil: undefined })
    .map((one) => (one === undefined ? '' : ` before ${one}`));
  return fc.oneof(
    fc.tuple(events, before).map(([a, b]) => `never ${a}${b}`),
    fc.tuple(most, events, before).map(([n, a, b]) => `at most ${n} ${a}${b}`),
    fc.tuple(events, most, events, before).map(([a, n, b, c]) => `after ${a}, at most ${n} ${b}${c}`),
    fc.tuple(events, events, since).map(([a, b, c]) => `${a} only after ${b}${c}`),
    fc.tuple(events, since).map(([a, b]) => `every run that completes has ${a}${b}`),
    fc.tuple(events, events, events).map(([a, b, c]) => `after ${a}, ${b} before ${c}`),
    fc.tuple(events, events).map(([a, b]) => `after ${a}, ${b} before the end`),
  );
}
