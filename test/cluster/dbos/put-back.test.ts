import { expect, test } from 'vitest';
import { describePutBack } from '../../../src/cluster/dbos/put-back.js';

test.each([
  [0, 0, undefined],
  [1, 0, '1 run'],
  [0, 4, '4 stages'],
  [2, 1, '2 runs and 1 stage'],
])('%d runs and %d stages that went back are called %s', (runs, stages, said) => {
  expect(describePutBack({ runs, stages })).toBe(said);
});
