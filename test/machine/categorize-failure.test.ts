import { describe, expect, test } from 'vitest';
import { categoryOfRunFailure, withFailureCategory } from '../../src/machine/categorize-failure.js';
import type { Outcome } from '../../src/machine/outcome.js';

describe('D, 83: retryable and failure_category say the same', () => {
  test.each<[name: string, given: Outcome, added: Partial<Outcome>]>([
    ['retryable: true is retryable', { status: 'fail', retryable: true }, { failure_category: 'retryable' }],
    [
      '83: retryable: false is terminal',
      { status: 'fail', retryable: false },
      { failure_category: 'terminal' },
    ],
    ['retryable may be tried again', { status: 'fail', failure_category: 'retryable' }, { retryable: true }],
    ['terminal may not', { status: 'fail', failure_category: 'terminal' }, { retryable: false }],
    ['pipeline may not', { status: 'fail', failure_category: 'pipeline' }, { retryable: false }],
    ['both stay', { status: 'fail', failure_category: 'retryable', retryable: false }, {}],
    ['what nobody knows stays unknown', { status: 'fail' }, {}],
    ['a success has no category', { status: 'success', retryable: false }, {}],
  ])('%s', (_name, given, added) => {
    expect(withFailureCategory(given)).toEqual({ ...given, ...added });
  });
});

test('D: a run fails by its pipeline, or by the stage that failed', () => {
  const outcome: Outcome = { status: 'fail', failure_category: 'terminal' };
  const kinds = ['routing', 'limit', 'timeout', 'stage', 'goal_gate'] as const;
  expect(kinds.map((kind) => categoryOfRunFailure(kind, outcome))).toEqual([
    ...['pipeline', 'pipeline', 'pipeline'],
    ...['terminal', 'terminal'],
  ]);
  expect(categoryOfRunFailure('stage', { status: 'fail' })).toBeUndefined();
  expect(categoryOfRunFailure('stage', undefined)).toBeUndefined();
});
