import { expect, test } from 'vitest';
import type { ExchangeRequest } from '../../../src/run/recording/exchange.js';
import { recordedValue } from '../../../src/run/recording/recorded-value.js';
import { requestDifference } from '../../../src/run/recording/request-difference.js';
import { withoutPlaces } from '../../../src/run/recording/run-places.js';
import { sha256 } from '../../../src/run-directory/sha256.js';

const plain = withoutPlaces({ runDirectories: ['/old', '/new'], workingDirectories: ['/work'] });

/** The results of as many branches, each of which took so long. */
const results = (count: number, milliseconds: number, directory = '/old', notes = 'done'): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, index) => ({
      id: `b${index}`,
      notes,
      context_updates: { file: `${directory}/b${index}` },
      duration_ms: milliseconds,
    })),
  );

const toolWith = (...environment: [string, string][]): ExchangeRequest => ({
  kind: 'tool',
  command: 'report',
  directory: '.',
  environment,
});

/** @param value as the recording keeps it */
const differenceOf = (value: string, now: string): string | undefined =>
  requestDifference(
    { session: 1, request: toolWith(['ATTRACTOR_VALUE_1', value]) },
    toolWith(['ATTRACTOR_VALUE_1', now]),
    plain,
  );

const kept = (value: string): string =>
  recordedValue(value, withoutPlaces({ runDirectories: ['/old'], workingDirectories: [] }));

const withoutForm = (value: string): string => `${value.length} characters, sha-256 ${sha256(value)}`;

test.each([
  ['a short one, with other times and places', kept(results(2, 7)), results(2, 12_345, '/new')],
  ['a long one, with other times and places', kept(results(40, 7)), results(40, 12_345, '/new')],
  ['one that other times make long', kept(results(12, 1)), results(12, 1_234_567_890)],
  ['one that other times make short', kept(results(12, 1_234_567_890)), results(12, 1)],
  ['a long one of an earlier recording', withoutForm(results(40, 7)), results(40, 7)],
])('a value of the environment is the same: %s', (_name, recorded, now) => {
  expect(differenceOf(recorded, now)).toBeUndefined();
});

test.each([
  ['a short one', kept(results(2, 7)), results(2, 7, '/old', 'red')],
  ['a long one', kept(results(40, 7)), results(40, 7, '/old', 'red')],
  ['a long one of an earlier recording', withoutForm(results(40, 7)), results(40, 7, '/old', 'red')],
])('a value of the environment is another one: %s', (_name, recorded, now) => {
  expect(differenceOf(recorded, now)).toContain('another environment than was recorded');
});

test('of a value that was not there, a long one is shown by its hash', () => {
  const recorded = { session: 1, request: toolWith() };
  const difference = requestDifference(recorded, toolWith(['ATTRACTOR_VALUE_1', results(40, 7)]), plain);
  expect(difference).toMatch(/\+ATTRACTOR_VALUE_1=\d+ characters without places and times, sha-256/);
});

test('the idempotency key is not compared: the exchange was found by its visit', () => {
  const recorded = { session: 1, request: toolWith(['ATTRACTOR_IDEMPOTENCY_KEY', 'run/work/3']) };
  const now = toolWith(['ATTRACTOR_IDEMPOTENCY_KEY', 'run/two/work/1']);
  expect(requestDifference(recorded, now, plain)).toBeUndefined();
});
